import { type CapturedOutput, type ExecResult, GatewayRequestInvalidError } from '@agent-workspace/core';
import {
  type CapturedHeader,
  CONTENT_TYPES,
  encodeFrameHeader,
  type ExecRequest,
  execSchemas,
  MAX_REQUEST_FRAME_BYTES,
  parseRequest,
  ROUTES,
  toProblem,
} from '@agent-workspace/gateway-protocol';
import { beginCall, type GatewayRequest } from '../http/gateway-request.ts';
import type { GatewayRoute } from '../http/gateway-routes.ts';
import { LiveBody } from '../http/live-body.ts';
import { readFrames } from '../http/read-frames.ts';
import type { Reply } from '../http/reply.ts';

/** stdin is held as a whole before the command is started. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;
const ALIVE = encodeFrameHeader({ type: 'alive' }, 0);
const OPERATION = 'exec';

interface Command {
  readonly command: ExecRequest;
  /** `undefined` where stdin is closed from the start. */
  readonly stdin: Uint8Array | undefined;
}

async function readCommand(request: GatewayRequest): Promise<Command> {
  const frames = readFrames(request, { maxFrameBytes: MAX_REQUEST_FRAME_BYTES, maxTotalBytes: MAX_BODY_BYTES });
  const stdin: Uint8Array[] = [];
  let command: ExecRequest | undefined;
  let isEnded = false;
  for await (const { header, bytes } of frames) {
    if (isEnded) break;
    if (command === undefined) command = parseRequest(execSchemas().exec, header, OPERATION);
    isEnded = header['end'] === true;
    stdin.push(bytes);
  }
  if (command === undefined || !isEnded) {
    throw new GatewayRequestInvalidError({ operation: OPERATION, reason: 'its frames do not come to an end' });
  }
  return { command, stdin: command.hasStdin ? Buffer.concat(stdin) : undefined };
}

function captured({ head, tail, droppedBytes, totalBytes }: CapturedOutput): CapturedHeader {
  return { headBytes: head.byteLength, tailBytes: tail.byteLength, droppedBytes, totalBytes };
}

function resultFrame({ end, durationMs, stdout, stderr }: ExecResult): readonly Uint8Array[] {
  const chunks = [stdout.head, stdout.tail, stderr.head, stderr.tail];
  const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  const header = { type: 'result', end, durationMs, stdout: captured(stdout), stderr: captured(stderr) };
  return [encodeFrameHeader(header, length), ...chunks];
}

function problemFrame(error: unknown): Uint8Array {
  return encodeFrameHeader({ type: 'problem', problem: toProblem(error) }, 0);
}

async function run(request: GatewayRequest, { command, stdin }: Command, body: LiveBody): Promise<void> {
  using call = beginCall(request);
  const { host } = request;
  using waited = host.commands.begin(undefined, call.signal);
  const { argv, cwd, env, timeoutMs, maxOutputBytes, streams } = command;
  const result = await host.backend.exec(argv, {
    cwd,
    env,
    timeoutMs,
    maxOutputBytes,
    stdin,
    signal: waited.signal,
    ...(streams && {
      onOutput: ({ stream, bytes }) =>
        body.write(encodeFrameHeader({ type: 'output', stream }, bytes.byteLength), bytes),
    }),
  });
  void body.write(...resultFrame(result));
}

async function exec(request: GatewayRequest): Promise<Reply> {
  const command = await readCommand(request);
  const body = new LiveBody({ contentType: CONTENT_TYPES.frames, alive: ALIVE, problem: problemFrame });
  run(request, command, body).then(
    () => body.end(),
    (error: unknown) => body.fail(error),
  );
  return body.reply();
}

/** Commands that are waited for. */
export function execRoutes(): readonly GatewayRoute[] {
  return [{ method: 'POST', route: ROUTES.exec, handle: exec }];
}

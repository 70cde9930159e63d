import {
  type ExecOptions,
  type ExecResult,
  GatewayConnectionLostError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type Logger,
  OperationAbortedError,
  type OutputChunk,
} from '@agent-workspace/core';
import {
  CONTENT_TYPES,
  encodeFrame,
  type Frame,
  execSchemas,
  parseAnswer,
  reviveError,
  ROUTES,
  STREAM_FRAME_BYTES,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { MAX_TIMER_MS } from '../http/deadlines.ts';
import { abortedResult, toExecResult } from './captured.ts';

const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;
/** What the gateway may take for ending a tree, beyond the command's own time. */
const END_MS = 30_000;
/** Of headers, when output is not sent as it comes. */
const MAX_OVERHEAD_BYTES = 16 * 1024 * 1024;

/** Output as it comes. */
const MAX_OUTPUT_FRAME_BYTES = 4 * 1024 * 1024;

const OPERATION = 'exec';

/** The request, its stdin in frames that the gateway takes. */
function* requestFrames(argv: readonly string[], options: ExecOptions): Generator<Uint8Array> {
  const { cwd, env, timeoutMs, maxOutputBytes, stdin, onOutput } = options;
  const bytes = typeof stdin === 'string' ? Buffer.from(stdin, 'utf8') : (stdin ?? new Uint8Array(0));
  const isSingle = bytes.byteLength <= STREAM_FRAME_BYTES;
  const header = {
    argv,
    cwd,
    env,
    timeoutMs,
    maxOutputBytes,
    hasStdin: stdin !== undefined,
    streams: onOutput !== undefined,
  };
  yield isSingle ? encodeFrame({ ...header, end: true }, bytes) : encodeFrame(header);
  for (let offset = 0; !isSingle && offset < bytes.byteLength;) {
    const next = offset + STREAM_FRAME_BYTES;
    yield encodeFrame(next >= bytes.byteLength ? { end: true } : {}, bytes.subarray(offset, next));
    offset = next;
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function isOfTheConnection(error: unknown): boolean {
  return (
    OperationAbortedError.isInstance(error) ||
    GatewayConnectionLostError.isInstance(error) ||
    GatewayUnreachableError.isInstance(error) ||
    GatewayTimeoutError.isInstance(error)
  );
}

/** A listener's exception is its own affair, and not the command's. One that is slow slows the command down. */
function guarded(listener: ExecOptions['onOutput'], logger: Logger): (chunk: OutputChunk) => Promise<void> {
  let isReported = false;
  return async (chunk) => {
    try {
      await listener?.(chunk);
    } catch (error) {
      if (!isReported) logger.warn('A listener of command output threw.', { error });
      isReported = true;
    }
  };
}

async function readFrame(frame: Frame, tell: (chunk: OutputChunk) => Promise<void>): Promise<ExecResult | undefined> {
  const header = parseAnswer(execSchemas().execFrame, frame.header, OPERATION);
  switch (header.type) {
    case 'output':
      await tell({ stream: header.stream, bytes: frame.bytes });
      return undefined;
    case 'alive':
      return undefined;
    case 'problem':
      throw reviveError(header.problem);
    case 'result':
      return toExecResult(header, frame.bytes);
  }
}

/** Ends a command on abort or past its time, and lets go of the connection if that does not help. */
class Supervision implements Disposable {
  /** Aborted when the connection is to be dropped. */
  readonly connection: AbortController = new AbortController();
  readonly #client: GatewayClient;
  readonly #callId: string;
  readonly #signal: AbortSignal | undefined;
  readonly #deadline: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(client: GatewayClient, callId: string, { signal, timeoutMs }: ExecOptions) {
    this.#client = client;
    this.#callId = callId;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (timeoutMs !== undefined && timeoutMs + END_MS <= MAX_TIMER_MS) {
      this.#deadline = setTimeout(() => this.connection.abort(), timeoutMs + END_MS);
    }
  }

  readonly #onAbort = (): void => {
    this.#patience = setTimeout(() => this.connection.abort(), this.#client.deadlines.abortMs);
    void this.#client.cancelCall(this.#callId);
  };

  [Symbol.dispose](): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#patience);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** @see Backend.exec */
export async function exec(
  client: GatewayClient,
  argv: readonly string[],
  options: ExecOptions,
  logger: Logger,
): Promise<ExecResult> {
  const { signal, timeoutMs, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES, onOutput } = options;
  const startedAt = performance.now();
  if (isAborted(signal)) return abortedResult(startedAt);
  const callId = client.newCallId();
  using supervision = new Supervision(client, callId, options);
  const tell = guarded(onOutput, logger);
  const isLarge = (options.stdin?.length ?? 0) > STREAM_FRAME_BYTES;
  const frames = requestFrames(argv, options);
  const maxResultBytes = 2 * maxOutputBytes;
  try {
    const answer = await client.frames({
      operation: OPERATION,
      path: ROUTES.exec,
      body: isLarge ? frames : Buffer.concat([...frames]),
      contentType: CONTENT_TYPES.frames,
      callId,
      maxFrameBytes: Math.max(maxResultBytes, MAX_OUTPUT_FRAME_BYTES),
      ...(onOutput === undefined && { maxTotalBytes: maxResultBytes + MAX_OVERHEAD_BYTES }),
      signal: supervision.connection.signal,
    });
    for await (const frame of answer) {
      const result = await readFrame(frame, tell);
      if (result !== undefined) return result;
    }
    throw new GatewayConnectionLostError({ operation: OPERATION, reason: 'the answer ended without a result' });
  } catch (error) {
    // The caller wants no more of it, and a gateway that does not answer is not waited for.
    if (isAborted(signal) && isOfTheConnection(error)) return abortedResult(startedAt);
    if (timeoutMs !== undefined && OperationAbortedError.isInstance(error)) {
      throw new GatewayTimeoutError({ operation: OPERATION, timeoutMs: timeoutMs + END_MS }, { cause: error });
    }
    throw error;
  }
}

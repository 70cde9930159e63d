import { GatewayRequestInvalidError } from '@agent-workspace/core';
import {
  CONTENT_TYPES,
  encodeFrameHeader,
  execSchemas,
  HEARTBEAT_MS,
  MAX_JSON_BYTES,
  MAX_WAIT_MS,
  parseRequest,
  PROCESS_WINDOW_BYTES,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import { beginCall, type GatewayRequest, operationOf } from '../http/gateway-request.ts';
import type { GatewayRoute } from '../http/gateway-routes.ts';
import { readChunks, readJson } from '../http/read-body.ts';
import { bytesReply, jsonReply, type Reply } from '../http/reply.ts';
import type { OutputWindow } from '../processes/output-window.ts';
import type { ServedProcess } from '../processes/served-process.ts';

function processOf(request: GatewayRequest): ServedProcess {
  return request.host.processes.get(request.part('id'));
}

function outputOf(request: GatewayRequest): OutputWindow {
  const stream = request.query.get('stream');
  if (stream === 'stdout' || stream === 'stderr') return processOf(request)[stream];
  throw new GatewayRequestInvalidError({ operation: operationOf(request), reason: 'stream is stdout or stderr' });
}

/** A count that the query has. */
function queryNumber(request: GatewayRequest, name: string, whenMissing: number): number {
  const text = request.query.get(name);
  if (text === null) return whenMissing;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new GatewayRequestInvalidError({ operation: operationOf(request), reason: `${name} is a whole number` });
}

async function spawn(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  const command = parseRequest(execSchemas().spawn, await readJson(request, MAX_JSON_BYTES), 'spawn');
  return jsonReply(await request.host.processes.spawn(command, call.signal));
}

async function readOutput(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  const { offset, bytes, isEnd } = await outputOf(request).read({
    offset: queryNumber(request, 'offset', 0),
    maxBytes: queryNumber(request, 'maxBytes', PROCESS_WINDOW_BYTES),
    waitMs: Math.min(queryNumber(request, 'waitMs', 0), MAX_WAIT_MS),
    signal: call.signal,
  });
  return bytesReply([encodeFrameHeader({ offset, isEnd }, bytes.byteLength), bytes], CONTENT_TYPES.frames);
}

async function closeOutput(request: GatewayRequest): Promise<Reply> {
  await outputOf(request).close();
  return jsonReply({});
}

async function writeInput(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  const { stdin } = processOf(request);
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(request, PROCESS_WINDOW_BYTES)) chunks.push(chunk);
  stdin.write(Buffer.concat(chunks));
  if (request.query.get('end') === 'true') stdin.end();
  return jsonReply({ isBlocked: await stdin.isBlocked({ waitMs: HEARTBEAT_MS, signal: call.signal }) });
}

async function sendSignal(request: GatewayRequest): Promise<Reply> {
  const { process } = processOf(request);
  const body = await readJson(request, MAX_JSON_BYTES);
  await process.kill(parseRequest(execSchemas().signal, body, 'a signal').signal);
  return jsonReply({});
}

async function waitForEnd(request: GatewayRequest): Promise<Reply> {
  using call = beginCall(request);
  const served = processOf(request);
  const { waitMs } = parseRequest(execSchemas().end, await readJson(request, MAX_JSON_BYTES), 'an end');
  const end = await served.endWithin({ waitMs: Math.min(waitMs, MAX_WAIT_MS), signal: call.signal });
  return jsonReply({ end });
}

function abort(request: GatewayRequest): Reply {
  processOf(request).abort();
  return jsonReply({});
}

async function remove(request: GatewayRequest): Promise<Reply> {
  return jsonReply({ end: await request.host.processes.remove(request.part('id')) });
}

/** Commands whose streams are handed over piece by piece. */
export function processRoutes(): readonly GatewayRoute[] {
  return [
    { method: 'POST', route: ROUTES.processes, handle: spawn },
    { method: 'GET', route: ROUTES.processOutput, handle: readOutput },
    { method: 'DELETE', route: ROUTES.processOutput, handle: closeOutput },
    { method: 'PUT', route: ROUTES.processStdin, handle: writeInput },
    { method: 'POST', route: ROUTES.processSignal, handle: sendSignal },
    { method: 'POST', route: ROUTES.processEnd, handle: waitForEnd },
    { method: 'POST', route: ROUTES.processAbort, handle: abort },
    { method: 'DELETE', route: ROUTES.process, handle: remove },
  ];
}

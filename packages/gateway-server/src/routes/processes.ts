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
import { beginCall, type GatewayApp, type GatewayContext, operationOf } from '../http/gateway-context.ts';
import { jsonResponse } from '../http/json-response.ts';
import { wholeResponse } from '../http/live-body.ts';
import { readChunks, readJson } from '../http/read-body.ts';
import { pathPart, routerPath } from '../http/route-path.ts';
import type { OutputWindow } from '../processes/output-window.ts';
import type { ServedProcess } from '../processes/served-process.ts';

function processOf(context: GatewayContext): ServedProcess {
  return context.var.host.processes.get(pathPart(context, 'id'));
}

function outputOf(context: GatewayContext): OutputWindow {
  const stream = context.req.query('stream');
  if (stream === 'stdout' || stream === 'stderr') return processOf(context)[stream];
  throw new GatewayRequestInvalidError({ operation: operationOf(context), reason: 'stream is stdout or stderr' });
}

/** A count that the query has. */
function queryNumber(context: GatewayContext, name: string, whenMissing: number): number {
  const text = context.req.query(name);
  if (text === undefined) return whenMissing;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new GatewayRequestInvalidError({ operation: operationOf(context), reason: `${name} is a whole number` });
}

function addOutputRoutes(app: GatewayApp): void {
  app.get(routerPath(ROUTES.processOutput), async (context) => {
    using call = beginCall(context);
    const { offset, bytes, isEnd } = await outputOf(context).read({
      offset: queryNumber(context, 'offset', 0),
      maxBytes: queryNumber(context, 'maxBytes', PROCESS_WINDOW_BYTES),
      waitMs: Math.min(queryNumber(context, 'waitMs', 0), MAX_WAIT_MS),
      signal: call.signal,
    });
    return wholeResponse([encodeFrameHeader({ offset, isEnd }, bytes.byteLength), bytes], CONTENT_TYPES.frames);
  });

  app.delete(routerPath(ROUTES.processOutput), async (context) => {
    await outputOf(context).close();
    return jsonResponse({});
  });
}

function addInputRoutes(app: GatewayApp): void {
  app.put(routerPath(ROUTES.processStdin), async (context) => {
    using call = beginCall(context);
    const { stdin } = processOf(context);
    const chunks: Uint8Array[] = [];
    for await (const chunk of readChunks(context, PROCESS_WINDOW_BYTES)) chunks.push(chunk);
    stdin.write(Buffer.concat(chunks));
    if (context.req.query('end') === 'true') stdin.end();
    return jsonResponse({ isBlocked: await stdin.isBlocked({ waitMs: HEARTBEAT_MS, signal: call.signal }) });
  });

  app.post(routerPath(ROUTES.processSignal), async (context) => {
    const { process } = processOf(context);
    const body = await readJson(context, MAX_JSON_BYTES);
    await process.kill(parseRequest(execSchemas().signal, body, 'a signal').signal);
    return jsonResponse({});
  });
}

/** Commands whose streams are handed over piece by piece. */
export function addProcessRoutes(app: GatewayApp): void {
  app.post(ROUTES.processes, async (context) => {
    using call = beginCall(context);
    const request = parseRequest(execSchemas().spawn, await readJson(context, MAX_JSON_BYTES), 'spawn');
    return jsonResponse(await context.var.host.processes.spawn(request, call.signal));
  });

  addOutputRoutes(app);
  addInputRoutes(app);

  app.post(routerPath(ROUTES.processEnd), async (context) => {
    using call = beginCall(context);
    const served = processOf(context);
    const { waitMs } = parseRequest(execSchemas().end, await readJson(context, MAX_JSON_BYTES), 'an end');
    const end = await served.endWithin({ waitMs: Math.min(waitMs, MAX_WAIT_MS), signal: call.signal });
    return jsonResponse({ end });
  });

  app.post(routerPath(ROUTES.processAbort), (context) => {
    processOf(context).abort();
    return jsonResponse({});
  });

  app.delete(routerPath(ROUTES.process), async (context) =>
    jsonResponse({ end: await context.var.host.processes.remove(pathPart(context, 'id')) }),
  );
}

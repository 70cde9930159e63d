import { GatewayRequestInvalidError, GatewayResourceNotFoundError, type Logger } from '@agent-workspace/core';
import { toProblem } from '@agent-workspace/gateway-protocol';
import { type Context, Hono } from 'hono';
import type { AttachedHost } from '../attached/attached-host.ts';
import { type GatewayRequest, operationOf } from './gateway-request.ts';
import { gatewayRoutes, type GatewayRouteOptions } from './gateway-routes.ts';
import { Guard, isReply } from './guard.ts';
import { failureReply, problemReply, type Reply } from './reply.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
/** Up to here an answer is put together in memory, which is quicker than a stream. */
const AT_ONCE_BYTES = 256 * 1024;

interface GatewayEnv {
  readonly Variables: {
    /** Whose token the request has. */
    readonly host: AttachedHost;
  };
}

export type GatewayApp = Hono<GatewayEnv>;

export interface GatewayAppOptions extends GatewayRouteOptions {
  /** Names that a request may be for, beside those of this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly logger: Logger;
}

/** A route of the protocol as the router has it. */
function routerPath(route: string): string {
  return route.replaceAll(/\{(\w+)\}/g, ':$1');
}

function toResponse({ status, headers, body }: Reply): Response {
  if (body instanceof ReadableStream) return new Response(body, { status, headers });
  const length = body.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  if (length <= AT_ONCE_BYTES) return new Response(Buffer.concat(body, length), { status, headers });
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of body) if (chunk.byteLength > 0) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(stream, { status, headers: { ...headers, 'content-length': String(length) } });
}

function toRequest(context: Context<GatewayEnv>): GatewayRequest {
  const { req } = context;
  return {
    method: req.method,
    path: req.path,
    query: new URL(req.url).searchParams,
    host: context.var.host,
    signal: req.raw.signal,
    header: (name) => req.header(name),
    part: (name) => req.param(name) ?? '',
    chunks: async function* chunks() {
      if (req.raw.body !== null) yield* req.raw.body;
    },
    whole: async () => new Uint8Array(await req.raw.arrayBuffer()),
  };
}

/** The methods that there are for a path. */
function methodsOf(app: GatewayApp, path: string): readonly string[] {
  // What guards every path is no route.
  return METHODS.filter((method) => app.router.match(method, path)[0].some(([[, { path: route }]]) => route !== '/*'));
}

function notFound(app: GatewayApp, { req }: Context<GatewayEnv>): Reply {
  const operation = operationOf(req);
  const methods = methodsOf(app, req.path);
  if (methods.length === 0)
    return problemReply(toProblem(new GatewayResourceNotFoundError({ resource: `route ${operation}` })));
  const error = new GatewayRequestInvalidError({ operation, reason: `the route takes ${methods.join(', ')} alone` });
  return problemReply({ ...toProblem(error), status: 405 }, { allow: methods.join(', ') });
}

/** The HTTP API over a backend. It needs no socket: `app.request(…)` answers. */
export function createGatewayApp(options: GatewayAppOptions): GatewayApp {
  const { logger } = options;
  const guard = new Guard(options);
  const app: GatewayApp = new Hono<GatewayEnv>();
  app.use(async (context, next) => {
    const { req } = context;
    const admitted = guard.admit({
      method: req.method,
      path: req.path,
      target: req.header('host') ?? new URL(req.url).host,
      origin: req.header('origin'),
      authorization: req.header('authorization'),
    });
    if (isReply(admitted)) return toResponse(admitted);
    context.set('host', admitted);
    return next();
  });
  for (const { method, route, handle } of gatewayRoutes(options)) {
    app.on(method, routerPath(route), async (context) => toResponse(await handle(toRequest(context))));
  }
  app.notFound((context) => toResponse(notFound(app, context)));
  app.onError((error, context) => toResponse(failureReply(error, operationOf(context.req), logger)));
  return app;
}

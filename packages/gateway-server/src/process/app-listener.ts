import type { RequestListener } from 'node:http';
import { GatewayRequestInvalidError } from '@agent-workspace/core';
import { toProblem } from '@agent-workspace/gateway-protocol';
import { getRequestListener, RequestError } from '@hono/node-server';
import { createGatewayApp, type GatewayAppOptions } from '../http/create-gateway-app.ts';

/** A request whose `Host` or target makes no URL. */
function refuseRequest(error: unknown): Response {
  const reason = error instanceof Error ? error.message : String(error);
  const problem = toProblem(
    error instanceof RequestError
      ? new GatewayRequestInvalidError(
          { operation: 'the request', reason: `its Host and target make no URL (${reason})` },
          { cause: error },
        )
      : error,
  );
  return Response.json(problem, { status: problem.status, headers: { 'content-type': 'application/problem+json' } });
}

/** The whole app, for Node's server. */
export function appListener(options: GatewayAppOptions): RequestListener {
  const listener = getRequestListener(createGatewayApp(options).fetch, { errorHandler: refuseRequest });
  return (message, response) => void listener(message, response);
}

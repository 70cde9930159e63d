import { backendOperations, MAX_JSON_BYTES, type Operation, parseRequest } from '@agent-workspace/gateway-protocol';
import type { GatewayRoute } from '../http/gateway-routes.ts';
import { beginCall } from '../http/gateway-request.ts';
import { readJson } from '../http/read-body.ts';
import { jsonReply } from '../http/reply.ts';

/** A route for each method of a backend that takes and gives JSON. */
export function operationRoutes(): readonly GatewayRoute[] {
  // Whatever an operation takes, its own schema has checked it.
  const operations = Object.entries(backendOperations() as unknown as Record<string, Operation<unknown, unknown>>);
  return operations.map(([name, operation]) => ({
    method: 'POST',
    route: operation.route,
    handle: async (request) => {
      using call = beginCall(request);
      const input = parseRequest(operation.input, await readJson(request, MAX_JSON_BYTES), name);
      return jsonReply(await operation.run(request.host, input, call.signal));
    },
  }));
}

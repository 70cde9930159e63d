import { backendOperations, MAX_JSON_BYTES, type Operation, parseRequest } from '@agent-workspace/gateway-protocol';
import { beginCall, type GatewayApp } from '../http/gateway-context.ts';
import { jsonResponse } from '../http/json-response.ts';
import { readJson } from '../http/read-body.ts';

/** A route for each method of a backend that takes and gives JSON. */
export function addOperationRoutes(app: GatewayApp): void {
  // Whatever an operation takes, its own schema has checked it.
  const operations = Object.entries(backendOperations() as unknown as Record<string, Operation<unknown, unknown>>);
  for (const [name, operation] of operations) {
    app.post(operation.route, async (context) => {
      using call = beginCall(context);
      const input = parseRequest(operation.input, await readJson(context, MAX_JSON_BYTES), name);
      return jsonResponse(await operation.run(context.var.host, input, call.signal));
    });
  }
}

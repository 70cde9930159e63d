import { type MCPProgress, WorkspaceError } from '@agent-workspace/core';
import {
  type CallLine,
  type CallToolRequest,
  CONTENT_TYPES,
  MAX_JSON_BYTES,
  type McpKey,
  mcpSchemas,
  parseRequest,
  type Problem,
  ROUTES,
  toProblem,
} from '@agent-workspace/gateway-protocol';
import { beginCall, type GatewayApp, type GatewayContext } from '../http/gateway-context.ts';
import { jsonLine } from '../http/json-line.ts';
import { jsonResponse } from '../http/json-response.ts';
import { LiveBody } from '../http/live-body.ts';
import { fromProblem } from '../http/problem.ts';
import { readJson } from '../http/read-body.ts';
import { pathPart, routerPath } from '../http/route-path.ts';
import type { RegisteredMcp } from '../mcps/registered-mcp.ts';

const ALIVE = jsonLine({ type: 'alive' } satisfies CallLine);

function keyOf(context: GatewayContext): McpKey {
  const { agentId, sessionId, clientId } = context.req.query();
  return { name: pathPart(context, 'name'), agentId, sessionId, clientId };
}

/** An error about a server, which may quote what that server wrote. */
function redactedProblem(mcp: RegisteredMcp, error: unknown): Problem {
  return mcp.redactor.json(toProblem(error));
}

/** An answer about a server, whose errors tell no secret of it. */
async function redacting(mcp: RegisteredMcp, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!WorkspaceError.isInstance(error)) throw error;
    return fromProblem(redactedProblem(mcp, error));
  }
}

async function withMcp(
  context: GatewayContext,
  work: (mcp: RegisteredMcp, signal: AbortSignal) => Promise<unknown>,
): Promise<Response> {
  using call = beginCall(context);
  const mcp = context.var.host.mcps.get(keyOf(context));
  return await redacting(mcp, async () => jsonResponse(await work(mcp, call.signal)));
}

async function readCall(context: GatewayContext): Promise<CallToolRequest> {
  return parseRequest(mcpSchemas().call, await readJson(context, MAX_JSON_BYTES), 'a tool call');
}

/** A call whose progress is told as it comes. */
async function streamCall(context: GatewayContext): Promise<Response> {
  const { arguments: input, timeoutMs } = await readCall(context);
  const mcp = context.var.host.mcps.get(keyOf(context));
  const problem = (error: unknown): Uint8Array =>
    jsonLine({ type: 'problem', problem: redactedProblem(mcp, error) } satisfies CallLine);
  const body = new LiveBody({ contentType: CONTENT_TYPES.ndjson, alive: ALIVE, problem });
  const say = (line: CallLine): void => void body.write(jsonLine(line));
  const onProgress = (progress: MCPProgress): void => {
    // Some of it may get lost, and is out of date by then.
    if (!body.isFull) say({ type: 'progress', ...progress });
  };
  const run = async (): Promise<void> => {
    using call = beginCall(context);
    const options = { timeoutMs, signal: call.signal, onProgress };
    say({ type: 'result', result: await mcp.callTool(pathPart(context, 'tool'), input, options) });
  };
  run().then(
    () => body.end(),
    (error: unknown) => body.fail(error),
  );
  return redacting(mcp, () => body.response());
}

/** The MCP servers of an attachment. */
export function addMcpRoutes(app: GatewayApp): void {
  app.get(ROUTES.mcps, (context) => jsonResponse({ mcps: context.var.host.mcps.list() }));

  app.post(ROUTES.mcps, async (context) => {
    const body = await readJson(context, MAX_JSON_BYTES);
    const request = parseRequest(mcpSchemas().register, body, 'a registration');
    return jsonResponse(context.var.host.mcps.register(request).status());
  });

  app.get(routerPath(ROUTES.mcp), (context) => jsonResponse(context.var.host.mcps.get(keyOf(context)).status()));

  app.delete(routerPath(ROUTES.mcp), async (context) => {
    await context.var.host.mcps.remove(keyOf(context));
    return jsonResponse({});
  });

  app.post(routerPath(ROUTES.mcpConnect), (context) =>
    withMcp(context, async (mcp, signal) => {
      await mcp.connect(signal);
      return mcp.status();
    }),
  );

  app.get(routerPath(ROUTES.mcpTools), (context) =>
    withMcp(context, async (mcp, signal) => ({ tools: await mcp.listTools(signal) })),
  );

  app.post(routerPath(ROUTES.mcpTool), (context) => {
    if (context.req.header('accept')?.includes(CONTENT_TYPES.ndjson) === true) return streamCall(context);
    return withMcp(context, async (mcp, signal) => {
      const { arguments: input, timeoutMs } = await readCall(context);
      return { result: await mcp.callTool(pathPart(context, 'tool'), input, { timeoutMs, signal }) };
    });
  });
}

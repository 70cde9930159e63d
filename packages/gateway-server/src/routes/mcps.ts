import { type MCPProgress, WorkspaceError } from '@agent-workspace/core';
import {
  type BatchedCall,
  type BatchLine,
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
import { beginCall, type GatewayRequest } from '../http/gateway-request.ts';
import type { GatewayRoute } from '../http/gateway-routes.ts';
import { jsonLine } from '../http/json-line.ts';
import { LiveBody } from '../http/live-body.ts';
import { readJson } from '../http/read-body.ts';
import { jsonReply, problemReply, type Reply, streamReply } from '../http/reply.ts';
import type { RegisteredMcp } from '../mcps/registered-mcp.ts';

const ALIVE = jsonLine({ type: 'alive' } satisfies CallLine & BatchLine);

/**
 * Answers to calls of one batch that are sent together: one at a time costs more than to wait for more, and to wait
 * for all of them leaves the host idle meanwhile.
 */
const GATHER = { ms: 1, writes: 8 };

function keyOf(request: GatewayRequest): McpKey {
  const value = (name: string): string | undefined => request.query.get(name) ?? undefined;
  return {
    name: request.part('name'),
    agentId: value('agentId'),
    sessionId: value('sessionId'),
    clientId: value('clientId'),
  };
}

/** An error about a server, which may quote what that server wrote. */
function redactedProblem(mcp: RegisteredMcp | undefined, error: unknown): Problem {
  const problem = toProblem(error);
  return mcp === undefined ? problem : mcp.redactor.json(problem);
}

/** An answer about a server, whose errors tell no secret of it. */
async function redacting(mcp: RegisteredMcp, answer: () => Promise<Reply>): Promise<Reply> {
  try {
    return await answer();
  } catch (error) {
    if (!WorkspaceError.isInstance(error)) throw error;
    return problemReply(redactedProblem(mcp, error));
  }
}

async function withMcp(
  request: GatewayRequest,
  work: (mcp: RegisteredMcp, signal: AbortSignal) => Promise<unknown>,
): Promise<Reply> {
  using call = beginCall(request);
  const mcp = request.host.mcps.get(keyOf(request));
  return await redacting(mcp, async () => jsonReply(await work(mcp, call.signal)));
}

async function readCall(request: GatewayRequest): Promise<CallToolRequest> {
  return parseRequest(mcpSchemas().call, await readJson(request, MAX_JSON_BYTES), 'a tool call');
}

/** A call whose progress is told as it comes. */
async function streamCall(request: GatewayRequest): Promise<Reply> {
  const { arguments: input, timeoutMs } = await readCall(request);
  const mcp = request.host.mcps.get(keyOf(request));
  const problem = (error: unknown): Uint8Array =>
    jsonLine({ type: 'problem', problem: redactedProblem(mcp, error) } satisfies CallLine);
  const body = new LiveBody({ contentType: CONTENT_TYPES.ndjson, alive: ALIVE, problem });
  const say = (line: CallLine): void => void body.write(jsonLine(line));
  const onProgress = (progress: MCPProgress): void => {
    // Some of it may get lost, and is out of date by then.
    if (!body.isFull) say({ type: 'progress', ...progress });
  };
  const run = async (): Promise<void> => {
    using call = beginCall(request);
    const options = { timeoutMs, signal: call.signal, onProgress };
    say({ type: 'result', result: await mcp.callTool(request.part('tool'), input, options) });
  };
  run().then(
    () => body.end(),
    (error: unknown) => body.fail(error),
  );
  return redacting(mcp, () => body.reply());
}

async function callTool(request: GatewayRequest): Promise<Reply> {
  if (request.header('accept')?.includes(CONTENT_TYPES.ndjson) === true) return streamCall(request);
  return withMcp(request, async (mcp, signal) => {
    const { arguments: input, timeoutMs } = await readCall(request);
    return { result: await mcp.callTool(request.part('tool'), input, { timeoutMs, signal }) };
  });
}

/** One call of several. Its failure is its own. */
async function runBatched({ host, signal }: GatewayRequest, call: BatchedCall): Promise<BatchLine> {
  const { id, tool, arguments: input, timeoutMs, ...key } = call;
  using running = host.calls.begin(id, signal);
  let mcp: RegisteredMcp | undefined;
  try {
    mcp = host.mcps.get(key);
    return { type: 'result', id, result: await mcp.callTool(tool, input, { timeoutMs, signal: running.signal }) };
  } catch (error) {
    return { type: 'problem', id, problem: redactedProblem(mcp, error) };
  }
}

/** Several calls at once, each answered as soon as it is over. */
async function callTools(request: GatewayRequest): Promise<Reply> {
  const { calls } = parseRequest(mcpSchemas().batch, await readJson(request, MAX_JSON_BYTES), 'tool calls');
  const body = new LiveBody({
    contentType: CONTENT_TYPES.ndjson,
    alive: ALIVE,
    problem: () => ALIVE,
    gather: GATHER,
  });
  const answers = calls.map(async (call) => void body.write(jsonLine(await runBatched(request, call))));
  void Promise.all(answers).then(() => body.end());
  return streamReply(body.stream(), CONTENT_TYPES.ndjson);
}

/** The MCP servers of an attachment. */
export function mcpRoutes(): readonly GatewayRoute[] {
  return [
    { method: 'GET', route: ROUTES.mcps, handle: ({ host }) => jsonReply({ mcps: host.mcps.list() }) },
    {
      method: 'POST',
      route: ROUTES.mcps,
      handle: async (request) => {
        const body = await readJson(request, MAX_JSON_BYTES);
        const registration = parseRequest(mcpSchemas().register, body, 'a registration');
        return jsonReply(request.host.mcps.register(registration).status());
      },
    },
    {
      method: 'GET',
      route: ROUTES.mcp,
      handle: (request) => jsonReply(request.host.mcps.get(keyOf(request)).status()),
    },
    {
      method: 'DELETE',
      route: ROUTES.mcp,
      handle: async (request) => {
        await request.host.mcps.remove(keyOf(request));
        return jsonReply({});
      },
    },
    {
      method: 'POST',
      route: ROUTES.mcpConnect,
      handle: (request) =>
        withMcp(request, async (mcp, signal) => {
          await mcp.connect(signal);
          return mcp.status();
        }),
    },
    {
      method: 'GET',
      route: ROUTES.mcpTools,
      handle: (request) => withMcp(request, async (mcp, signal) => ({ tools: await mcp.listTools(signal) })),
    },
    { method: 'POST', route: ROUTES.mcpTool, handle: callTool },
    { method: 'POST', route: ROUTES.calls, handle: callTools },
  ];
}

import { createRoute, z } from '@hono/zod-openapi';
import {
  type MCPClient,
  type McpDeclarationInput,
  MCPNotFoundError,
  type WorkspaceSession,
} from '@agent-workspace/core';
import { type App, newApp } from '../http/app-env.ts';
import { leaseWorkspace } from '../http/lease-workspace.ts';
import { failures, json, scopeQuery, secured, workspaceParams } from '../http/schemas.ts';
import type { Service } from '../service.ts';
import { noHostCode } from '../workspaces/host-safe-session.ts';
import { mcpHealth } from '../workspaces/mcp-health.ts';

const MCPS = '/v1/workspaces/{workspaceId}/mcps';
const RESTART_TIMEOUT_MS = 60_000;

const mcpSchema = z
  .object({
    name: z.string(),
    transport: z.enum(['stdio', 'http', 'sse']),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    url: z.string().optional(),
    env: z.array(z.string()),
    headers: z.array(z.string()),
    isStateful: z.boolean(),
    health: z.object({
      kind: z.enum(['idle', 'connecting', 'connected', 'failed', 'closed']),
      reason: z.string().optional(),
      retryAt: z.string().optional(),
      pid: z.number().optional(),
    }),
    stderrTail: z.string(),
  })
  .openapi('Mcp');
type Mcp = z.infer<typeof mcpSchema>;

const listSchema = z.object({ mcps: z.array(mcpSchema) });
const toolSchema = z.object({ name: z.string(), description: z.string(), isReadOnly: z.boolean() });
const namedParams = workspaceParams.extend({ name: z.string().min(1).max(128) });

const listRoute = createRoute({
  method: 'get',
  path: MCPS,
  summary: 'MCP servers, with their health',
  security: secured,
  request: { params: workspaceParams, query: scopeQuery },
  responses: { 200: json('In the order in which they were declared', listSchema), ...failures },
});

const addRoute = createRoute({
  method: 'post',
  path: MCPS,
  summary: 'Declare MCP servers',
  security: secured,
  request: {
    params: workspaceParams,
    query: scopeQuery,
    body: { required: true, content: { 'application/json': { schema: z.record(z.string(), z.unknown()) } } },
  },
  responses: { 201: json('All that there are now', listSchema), ...failures },
});

const removeRoute = createRoute({
  method: 'delete',
  path: `${MCPS}/{name}`,
  summary: 'Remove an MCP server, and end its processes',
  security: secured,
  request: { params: namedParams, query: scopeQuery },
  responses: { 204: { description: 'Gone' }, ...failures },
});

const restartRoute = createRoute({
  method: 'post',
  path: `${MCPS}/{name}/restart`,
  summary: 'End an MCP server, and start it again',
  security: secured,
  request: { params: namedParams, query: scopeQuery },
  responses: { 200: json('Connected again', mcpSchema), ...failures },
});

const toolsRoute = createRoute({
  method: 'get',
  path: `${MCPS}/{name}/tools`,
  summary: 'What an MCP server offers',
  security: secured,
  request: { params: namedParams, query: scopeQuery },
  responses: { 200: json('As it says now', z.object({ tools: z.array(toolSchema) })), ...failures },
});

/** MCP servers of a workspace, in the scope of an agent or a session. */
export function mcpsRoutes(service: Service): App {
  const app = newApp();
  app.use('/v1/workspaces/:workspaceId/mcps/*', leaseWorkspace(service));
  // Before anything of the request is looked at.
  app.on(['POST', 'DELETE'], '/v1/workspaces/:workspaceId/mcps/*', async (_c, next) => {
    if (service.isHostSafe) throw noHostCode('MCP servers');
    await next();
  });

  app.openapi(listRoute, async (c) => c.json({ mcps: await list(c.get('lease').session) }, 200));

  app.openapi(addRoute, async (c) => {
    const { session, workspace } = c.get('lease');
    // Checked by the session, which knows all three of its forms.
    await session.addMcp(c.req.valid('json') as unknown as McpDeclarationInput);
    service.tell({ type: 'mcps-changed' }, { workspaceId: workspace.workspaceId });
    return c.json({ mcps: await list(session) }, 201);
  });

  app.openapi(removeRoute, async (c) => {
    const { session, workspace } = c.get('lease');
    await session.removeMcp(c.req.valid('param').name);
    service.tell({ type: 'mcps-changed' }, { workspaceId: workspace.workspaceId });
    return c.body(null, 204);
  });

  app.openapi(restartRoute, async (c) => {
    const client = await find(c.get('lease').session, c.req.valid('param').name);
    await client.close();
    await client.connect({ signal: AbortSignal.timeout(RESTART_TIMEOUT_MS) });
    return c.json(describe(client), 200);
  });

  app.openapi(toolsRoute, async (c) => {
    const client = await find(c.get('lease').session, c.req.valid('param').name);
    const tools = await client.listTools({ signal: AbortSignal.timeout(RESTART_TIMEOUT_MS) });
    return c.json(
      { tools: tools.map(({ name, description, isReadOnly }) => ({ name, description, isReadOnly })) },
      200,
    );
  });

  return app;
}

async function list(session: WorkspaceSession): Promise<Mcp[]> {
  return (await session.listMcps()).map(describe);
}

async function find(session: WorkspaceSession, name: string): Promise<MCPClient> {
  const client = (await session.listMcps()).find((candidate) => candidate.name === name);
  if (client === undefined) throw new MCPNotFoundError({ name });
  return client;
}

/** What may be a secret is left out: values of variables and headers, and what a URL has behind its path. */
function describe({ declaration, state, stderrTail, isStateful }: MCPClient): Mcp {
  const { name, transport } = declaration;
  const common = { name, transport, isStateful, health: mcpHealth(state), stderrTail };
  if (declaration.transport === 'stdio') {
    const { command, args, env } = declaration;
    return { ...common, command, args: [...args], env: Object.keys(env), headers: [] };
  }
  const { origin, pathname } = new URL(declaration.url);
  return { ...common, url: `${origin}${pathname}`, env: [], headers: Object.keys(declaration.headers) };
}

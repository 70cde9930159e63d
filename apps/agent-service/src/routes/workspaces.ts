import { createRoute, z } from '@hono/zod-openapi';
import { Toolkit } from '@agent-workspace/toolkit';
import { type App, newApp } from '../http/app-env.ts';
import { leaseWorkspace } from '../http/lease-workspace.ts';
import { failures, idSchema, json, scopeQuery, secured, workspaceParams } from '../http/schemas.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Service } from '../service.ts';

const WORKSPACES = '/v1/workspaces';
const ONE = `${WORKSPACES}/{workspaceId}`;
/** For a client that has no sessions of its own. */
const DEFAULT_SESSION = 'default';
const LIST_TIMEOUT_MS = 60_000;

const workspaceSchema = z
  .object({
    workspaceId: z.string(),
    agentId: z.string(),
    sessionId: z.string(),
    status: z.enum(['open', 'closed']),
    isInUse: z.boolean(),
    createdAt: z.string(),
    lastUsedAt: z.string(),
    ageMs: z.number(),
    evictsInMs: z.number().nullable(),
  })
  .openapi('Workspace');

const listRoute = createRoute({
  method: 'get',
  path: WORKSPACES,
  summary: "The tenant's workspaces",
  security: secured,
  responses: { 200: json('Last used first', z.object({ workspaces: z.array(workspaceSchema) })), ...failures },
});

const openRoute = createRoute({
  method: 'post',
  path: WORKSPACES,
  summary: 'The workspace of an agent or session, made or opened if need be',
  security: secured,
  request: {
    body: {
      required: true,
      content: {
        'application/json': { schema: z.object({ agentId: idSchema, sessionId: idSchema.default(DEFAULT_SESSION) }) },
      },
    },
  },
  responses: { 201: json('Open', workspaceSchema), ...failures },
});

const getRoute = createRoute({
  method: 'get',
  path: ONE,
  summary: 'One workspace',
  security: secured,
  request: { params: workspaceParams },
  responses: { 200: json('As it is now', workspaceSchema), ...failures },
});

const closeRoute = createRoute({
  method: 'post',
  path: `${ONE}/close`,
  summary: 'Close a workspace; its data stay',
  security: secured,
  request: { params: workspaceParams },
  responses: { 200: json('Closed', workspaceSchema), ...failures },
});

const destroyRoute = createRoute({
  method: 'delete',
  path: ONE,
  summary: 'Remove a workspace with its data and sessions',
  security: secured,
  request: { params: workspaceParams },
  responses: { 204: { description: 'Gone' }, ...failures },
});

const statusRoute = createRoute({
  method: 'get',
  path: `${ONE}/status`,
  summary: 'What a workspace says of itself',
  security: secured,
  request: { params: workspaceParams, query: scopeQuery },
  responses: {
    200: json(
      'As it is now',
      z.object({
        workspace: workspaceSchema,
        backend: z.string(),
        workdir: z.string(),
        diagnostics: z.array(
          z.object({ kind: z.string(), path: z.string(), reason: z.string(), severity: z.enum(['warning', 'error']) }),
        ),
      }),
    ),
    ...failures,
  },
});

const toolsRoute = createRoute({
  method: 'get',
  path: `${ONE}/tools`,
  summary: 'All that an agent can call',
  security: secured,
  request: { params: workspaceParams, query: scopeQuery },
  responses: {
    200: json(
      'Those of servers that could not be asked are missing: see problems',
      z.object({
        tools: z.array(
          z.object({
            name: z.string(),
            description: z.string(),
            isReadOnly: z.boolean(),
            server: z.string().optional(),
          }),
        ),
        problems: z.array(z.object({ server: z.string(), message: z.string() })),
      }),
    ),
    ...failures,
  },
});

/** Workspaces of a tenant: which there are, and their lives. */
export function workspacesRoutes(service: Service): App {
  const app = newApp();
  const { workspaces, store, turns } = service;
  for (const name of ['status', 'tools']) app.use(`/v1/workspaces/:workspaceId/${name}`, leaseWorkspace(service));

  app.openapi(listRoute, async (c) => {
    const records = await store.listWorkspaces(c.get('tenant'));
    return c.json({ workspaces: records.map((record) => workspaces.view(record)) }, 200);
  });

  app.openapi(openRoute, async (c) => {
    const tenant = c.get('tenant');
    await using lease = await workspaces.lease({ tenant, ...c.req.valid('json') }, { signal: c.req.raw.signal });
    return c.json(workspaces.view(await workspaces.find(tenant, lease.workspace.workspaceId)), 201);
  });

  app.openapi(getRoute, async (c) => {
    const record = await workspaces.find(c.get('tenant'), c.req.valid('param').workspaceId);
    return c.json(workspaces.view(record), 200);
  });

  const unused = async (tenant: string, workspaceId: string): Promise<void> => {
    await workspaces.find(tenant, workspaceId);
    // Those of other replicas are known by their sessions.
    const sessions = await store.listSessions(tenant, { workspaceId, limit: Number.MAX_SAFE_INTEGER });
    if (turns.isUsing(workspaceId) || sessions.some(({ hasTurn }) => hasTurn)) {
      throw new ServiceError('workspace-in-use', 'A turn is under way in the workspace. Stop it, or wait for its end.');
    }
  };

  app.openapi(closeRoute, async (c) => {
    const tenant = c.get('tenant');
    const { workspaceId } = c.req.valid('param');
    await unused(tenant, workspaceId);
    await workspaces.close(workspaceId);
    return c.json(workspaces.view(await workspaces.find(tenant, workspaceId)), 200);
  });

  app.openapi(destroyRoute, async (c) => {
    const tenant = c.get('tenant');
    const { workspaceId } = c.req.valid('param');
    await unused(tenant, workspaceId);
    await workspaces.destroy(tenant, workspaceId);
    return c.body(null, 204);
  });

  app.openapi(statusRoute, async (c) => {
    const { workspace } = c.get('lease');
    const { backend, workdir, workspaceId } = workspace;
    const view = workspaces.view(await workspaces.find(c.get('tenant'), workspaceId));
    return c.json({ workspace: view, backend: backend.kind, workdir, diagnostics: [...workspace.diagnostics] }, 200);
  });

  app.openapi(toolsRoute, async (c) => {
    const { session } = c.get('lease');
    const [tools, mcps, skills] = await Promise.all([session.listTools(), session.listMcps(), session.listSkills()]);
    const toolkit = new Toolkit({ tools, mcps, skillsOrLoaders: skills });
    const listed = await toolkit.list({ signal: AbortSignal.timeout(LIST_TIMEOUT_MS) });
    const described = listed.map((tool) => {
      const { name, description, isReadOnly } = tool;
      const server = 'serverName' in tool ? { server: String(tool.serverName) } : {};
      return { name, description, isReadOnly, ...server };
    });
    const problems = toolkit.problems.map(({ server, error }) => ({
      server: server ?? '',
      message: error instanceof Error ? error.message : String(error),
    }));
    return c.json({ tools: described, problems }, 200);
  });

  return app;
}

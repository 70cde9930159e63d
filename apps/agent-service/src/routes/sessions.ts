import { createRoute, z } from '@hono/zod-openapi';
import { assembleMessage, withMessage } from '../chat/assemble.ts';
import { openHistory } from '../chat/history.ts';
import { chatInProgress } from '../chat/turns.ts';
import { type App, newApp } from '../http/app-env.ts';
import { failures, idSchema, json, secured, sessionParams } from '../http/schemas.ts';
import { sessionNotFound } from '../http/service-error.ts';
import { PERMISSION_MODES } from '../options.ts';
import type { Service } from '../service.ts';
import type { SessionKey, SessionRecord } from '../store/service-store.ts';

const SESSION = '/v1/agents/{agentId}/sessions/{sessionId}';
const MOST_SESSIONS = 200;

const sessionSchema = z
  .object({
    agentId: z.string(),
    sessionId: z.string(),
    workspaceId: z.string(),
    title: z.string(),
    state: z.enum(['idle', 'running', 'awaiting-approval']),
    permissionMode: z.enum(PERMISSION_MODES),
    messages: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi('Session');

const messagesSchema = z.object({ messages: z.array(z.looseObject({ id: z.string(), role: z.string() })) });

const listRoute = createRoute({
  method: 'get',
  path: '/v1/sessions',
  summary: "The tenant's sessions",
  security: secured,
  request: {
    query: z.object({
      agentId: idSchema.optional(),
      workspaceId: idSchema.optional(),
      limit: z.coerce.number().int().min(1).max(MOST_SESSIONS).default(50),
      before: z
        .string()
        .regex(/^\d+-\d+$/u)
        .optional(),
    }),
  },
  responses: {
    200: json('Newest first', z.object({ sessions: z.array(sessionSchema), next: z.string().optional() })),
    ...failures,
  },
});

const getRoute = createRoute({
  method: 'get',
  path: SESSION,
  summary: 'One session',
  security: secured,
  request: { params: sessionParams },
  responses: { 200: json('As it is now', sessionSchema), ...failures },
});

const messagesRoute = createRoute({
  method: 'get',
  path: `${SESSION}/messages`,
  summary: "A session's messages, in the AI SDK's form",
  security: secured,
  request: { params: sessionParams },
  responses: { 200: json('With the turn under way as far as it is', messagesSchema), ...failures },
});

const deleteRoute = createRoute({
  method: 'delete',
  path: SESSION,
  summary: 'Forget a session, and its files and servers in the workspace',
  security: secured,
  request: { params: sessionParams },
  responses: { 204: { description: 'Gone' }, ...failures },
});

/** Sessions of a tenant, and their messages. */
export function sessionsRoutes(service: Service): App {
  const app = newApp();
  const { store, turns, workspaces } = service;

  const find = async (key: SessionKey): Promise<SessionRecord> => {
    const record = await store.findSession(key);
    if (record === undefined) throw sessionNotFound();
    return record;
  };

  const view = (tenant: string, record: SessionRecord): z.infer<typeof sessionSchema> => {
    const { agentId, sessionId, workspaceId, title, permissionMode, messages, createdAt, updatedAt } = record;
    const isRunning = record.hasTurn || turns.find({ tenant, agentId, sessionId }) !== undefined;
    return {
      agentId,
      sessionId,
      workspaceId,
      title,
      state: isRunning ? 'running' : record.isAwaitingApproval ? 'awaiting-approval' : 'idle',
      permissionMode,
      messages,
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: new Date(updatedAt).toISOString(),
    };
  };

  /** Nobody begins another turn meanwhile, here or at another replica. */
  const purge = async (key: SessionKey, workspaceId: string): Promise<void> => {
    await using claims = new AsyncDisposableStack();
    claims.adopt(turns.claim(key), (turn) => {
      turns.release(turn);
      turn.close();
    });
    const lost = new AbortController();
    if (!(await store.claimTurn(key, (error) => lost.abort(error)))) throw chatInProgress();
    claims.defer(() => store.releaseTurn(key));
    await using lease = await workspaces.leaseById(key.tenant, workspaceId, key, { signal: lost.signal });
    const { sessionId } = lease.session.scope;
    if (sessionId !== undefined) await lease.workspace.purgeSession(sessionId);
    await store.deleteSession(key);
  };

  app.openapi(listRoute, async (c) => {
    const tenant = c.get('tenant');
    const { limit, ...filter } = c.req.valid('query');
    const records = await store.listSessions(tenant, { ...filter, limit });
    const last = records.at(-1);
    const next = records.length === limit && last !== undefined ? { next: last.cursor } : {};
    return c.json({ sessions: records.map((record) => view(tenant, record)), ...next }, 200);
  });

  app.openapi(getRoute, async (c) => {
    const key = { tenant: c.get('tenant'), ...c.req.valid('param') };
    return c.json(view(key.tenant, await find(key)), 200);
  });

  app.openapi(messagesRoute, async (c) => {
    const key = { tenant: c.get('tenant'), ...c.req.valid('param') };
    const { hasTurn } = await find(key);
    const turn = turns.find(key);
    if (turn !== undefined && turn.messages.length > 0) {
      const said = await assembleMessage(turn.messages, turn.log.entries);
      return c.json({ messages: [...withMessage(turn.messages, said)] }, 200);
    }
    if (!hasTurn) return c.json({ messages: [...(await openHistory(store, key)).messages] }, 200);
    const [messages, chunks] = await Promise.all([store.messages(key), store.chunks(key)]);
    return c.json({ messages: [...withMessage(messages, await assembleMessage(messages, chunks))] }, 200);
  });

  app.openapi(deleteRoute, async (c) => {
    const key = { tenant: c.get('tenant'), ...c.req.valid('param') };
    const { workspaceId } = await find(key);
    await turns.stop(key, 'The session was deleted.');
    await purge(key, workspaceId);
    service.tell({ type: 'session-deleted' }, { workspaceId, agentId: key.agentId, sessionId: key.sessionId });
    return c.body(null, 204);
  });

  return app;
}

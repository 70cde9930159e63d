import { posix } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import { type Backend, encodeId, FileNotFoundError, Layout, NotADirectoryError } from '@agent-workspace/core';
import { type App, type AppContext, newApp } from '../http/app-env.ts';
import { download } from '../http/download.ts';
import { failures, json, secured, sessionParams } from '../http/schemas.ts';
import { ServiceError, sessionNotFound } from '../http/service-error.ts';
import type { Service } from '../service.ts';
import type { Lease } from '../workspaces/workspace-access.ts';

const SESSION = '/v1/agents/{agentId}/sessions/{sessionId}';
const RESULT_NAME = /^tool_result-[^/]+\.txt$/u;

const resultSchema = z.object({
  name: z.string(),
  path: z.string(),
  sizeBytes: z.number(),
  modifiedAt: z.string(),
});

const contextRoute = createRoute({
  method: 'get',
  path: `${SESSION}/context`,
  summary: "Messages that were compressed out of the model's context",
  security: secured,
  request: { params: sessionParams },
  responses: {
    200: json("Oldest first, in AgentScope's form", z.object({ messages: z.array(z.looseObject({ id: z.string() })) })),
    ...failures,
  },
});

const resultsRoute = createRoute({
  method: 'get',
  path: `${SESSION}/results`,
  summary: "Results of calls that were too long for the model's context",
  security: secured,
  request: { params: sessionParams },
  responses: { 200: json('By name', z.object({ results: z.array(resultSchema) })), ...failures },
});

const resultRoute = createRoute({
  method: 'get',
  path: `${SESSION}/results/{name}`,
  summary: 'One of them, in whole',
  security: secured,
  request: { params: sessionParams.extend({ name: z.string() }) },
  responses: {
    200: { description: 'The text' },
    206: { description: 'The range that was asked for' },
    304: { description: 'The client has it' },
    ...failures,
  },
});

/** What sessions have offloaded to their workspaces. */
export function offloadedRoutes(service: Service): App {
  const app = newApp();

  const lease = async (c: AppContext): Promise<Lease> => {
    const key = { tenant: c.get('tenant'), ...sessionParams.parse(c.req.param()) };
    const record = await service.store.findSession(key);
    if (record === undefined) throw sessionNotFound();
    return await service.workspaces.leaseById(key.tenant, record.workspaceId, key, { signal: c.req.raw.signal });
  };

  app.openapi(contextRoute, async (c) => {
    await using held = await lease(c);
    const { session } = held;
    return c.json({ messages: [...(await session.readContext(session.scope.sessionId ?? ''))] }, 200);
  });

  app.openapi(resultsRoute, async (c) => {
    await using held = await lease(c);
    const { backend, workdir } = held.workspace;
    const directory = directoryOf(held);
    const names = (await namesIn(backend, directory)).filter((name) => RESULT_NAME.test(name));
    const results = await Promise.all(
      names.map(async (name): Promise<readonly z.infer<typeof resultSchema>[]> => {
        const path = posix.join(directory, name);
        const stat = await backend.stat(path, { noFollow: true });
        if (stat?.kind !== 'file') return [];
        const { sizeBytes, modifiedMs } = stat;
        const modifiedAt = new Date(modifiedMs).toISOString();
        return [{ name, path: posix.relative(workdir, path), sizeBytes, modifiedAt }];
      }),
    );
    return c.json({ results: results.flat() }, 200);
  });

  app.openapi(resultRoute, async (c) => {
    await using held = await lease(c);
    const { workspace } = held;
    const { name } = c.req.valid('param');
    const path = posix.join(directoryOf(held), name);
    const stat = RESULT_NAME.test(name) ? await workspace.backend.stat(path, { noFollow: true }) : undefined;
    if (stat?.kind !== 'file')
      throw new ServiceError('result-not-found', `There is no result ${JSON.stringify(name)}.`);
    return await download(c, { workspace, path, name, stat, isInline: c.req.query('inline') === '1' });
  });

  return app;
}

function directoryOf({ workspace, session }: Lease): string {
  return posix.join(new Layout(workspace.workdir).sessionsDirectory, encodeId(session.scope.sessionId ?? ''));
}

async function namesIn(backend: Backend, directory: string): Promise<readonly string[]> {
  try {
    return (await backend.readDirectory(directory)).map(({ name }) => name);
  } catch (error) {
    if (FileNotFoundError.isInstance(error) || NotADirectoryError.isInstance(error)) return [];
    throw error;
  }
}

import { posix } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import { type Backend, FileChangedError, FileNotFoundError, NotAFileError } from '@agent-workspace/core';
import { type App, newApp } from '../http/app-env.ts';
import { download, etagOf } from '../http/download.ts';
import { leaseWorkspace } from '../http/lease-workspace.ts';
import { bodyTooLarge, limitStream, MOST_FILE_BYTES } from '../http/limit-body.ts';
import { failures, json, secured, workspaceParams } from '../http/schemas.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Service } from '../service.ts';
import { resolveForChange, resolveInWorkdir } from '../workspaces/workdir-path.ts';

const MOST_ENTRIES = 5_000;
const FILES = '/v1/workspaces/{workspaceId}/files';

const flag = z.enum(['1', 'true', '0', 'false']).optional();
const isSet = (value: z.infer<typeof flag>): boolean => value === '1' || value === 'true';

const entrySchema = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(['file', 'directory', 'link', 'other']),
  sizeBytes: z.number(),
  modifiedAt: z.string(),
});
const writtenSchema = z.object({ path: z.string(), sizeBytes: z.number(), modifiedAt: z.string(), etag: z.string() });

const listRoute = createRoute({
  method: 'get',
  path: FILES,
  summary: 'What is in a directory',
  security: secured,
  request: { params: workspaceParams, query: z.object({ path: z.string().default('.') }) },
  responses: {
    200: json('By name', z.object({ path: z.string(), entries: z.array(entrySchema) })),
    ...failures,
  },
});

const readRoute = createRoute({
  method: 'get',
  path: `${FILES}/content`,
  summary: 'The bytes of a file',
  security: secured,
  request: { params: workspaceParams, query: z.object({ path: z.string(), inline: flag }) },
  responses: {
    200: { description: 'All of them' },
    206: { description: 'The range that was asked for' },
    304: { description: 'The client has them' },
    ...failures,
  },
});

const writeRoute = createRoute({
  method: 'put',
  path: `${FILES}/content`,
  summary: 'Write a file, as a whole',
  security: secured,
  request: {
    params: workspaceParams,
    query: z.object({ path: z.string().min(1) }),
    headers: z.object({ 'if-match': z.string().optional(), 'if-none-match': z.literal('*').optional() }),
  },
  responses: { 200: json('Replaced', writtenSchema), 201: json('New', writtenSchema), ...failures },
});

const removeRoute = createRoute({
  method: 'delete',
  path: FILES,
  summary: 'Remove a file, a link or a directory',
  security: secured,
  request: { params: workspaceParams, query: z.object({ path: z.string().min(1), recursive: flag }) },
  responses: { 204: { description: 'Gone' }, ...failures },
});

/** Files of a workspace: nothing outside of its workdir, and nothing that a browser would run. */
export function filesRoutes(service: Service): App {
  const app = newApp();
  app.use('/v1/workspaces/:workspaceId/files/*', leaseWorkspace(service));

  app.openapi(listRoute, async (c) => {
    const { backend } = c.get('lease').workspace;
    const { relative, realPath } = await resolveInWorkdir(backend, c.req.valid('query').path);
    const names = await backend.readDirectory(realPath);
    if (names.length > MOST_ENTRIES) {
      const message = `${relative} has ${names.length} entries, and ${MOST_ENTRIES} are the most that is listed.`;
      throw new ServiceError('request-invalid', message);
    }
    const entries = await Promise.all(names.map(({ name }) => describe(backend, realPath, relative, name)));
    return c.json({ path: relative, entries: entries.flat() }, 200);
  });

  app.openapi(readRoute, async (c) => {
    const { workspace } = c.get('lease');
    const { path, inline } = c.req.valid('query');
    const { relative, realPath } = await resolveInWorkdir(workspace.backend, path);
    const stat = await workspace.backend.stat(realPath, { noFollow: true });
    if (stat === undefined) throw new FileNotFoundError({ path: relative });
    if (stat.kind !== 'file') throw new NotAFileError({ path: relative, kind: stat.kind });
    const name = posix.basename(relative);
    return await download(c, { workspace, path: realPath, name, stat, isInline: isSet(inline) });
  });

  app.openapi(writeRoute, async (c) => {
    const { workspace } = c.get('lease');
    const { backend, workspaceId } = workspace;
    if (Number(c.req.header('content-length') ?? 0) > MOST_FILE_BYTES) throw bodyTooLarge(MOST_FILE_BYTES);
    const { relative, realPath } = await resolveForChange(backend, c.req.valid('query').path);
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = c.req.valid('header');
    const body = limitStream(c.req.raw.body ?? new Blob([]).stream(), MOST_FILE_BYTES);
    const { isNew, stat } = await backend.writeStream(realPath, body, {
      noFollow: true,
      isExclusive: ifNoneMatch === '*',
      ifMatches: ifMatch === undefined ? undefined : await versionOf(backend, realPath, relative, ifMatch),
    });
    service.tell({ type: 'files-changed', path: relative }, { workspaceId });
    const { sizeBytes, modifiedMs } = stat;
    const written = { path: relative, sizeBytes, modifiedAt: new Date(modifiedMs).toISOString(), etag: etagOf(stat) };
    return c.json(written, isNew ? 201 : 200);
  });

  app.openapi(removeRoute, async (c) => {
    const { backend, workspaceId } = c.get('lease').workspace;
    const { path, recursive } = c.req.valid('query');
    const { relative, realPath } = await resolveForChange(backend, path);
    await backend.remove(realPath, { recursive: isSet(recursive), mustExist: true });
    service.tell({ type: 'files-changed', path: relative }, { workspaceId });
    return c.body(null, 204);
  });

  return app;
}

/** Nothing, for an entry that went away meanwhile. */
async function describe(
  backend: Backend,
  directory: string,
  relative: string,
  name: string,
): Promise<readonly z.infer<typeof entrySchema>[]> {
  const stat = await backend.stat(posix.join(directory, name), { noFollow: true });
  if (stat === undefined) return [];
  const { kind, sizeBytes, modifiedMs } = stat;
  return [{ name, path: posix.join(relative, name), kind, sizeBytes, modifiedAt: new Date(modifiedMs).toISOString() }];
}

async function versionOf(backend: Backend, realPath: string, relative: string, etag: string): Promise<string> {
  const stat = await backend.stat(realPath, { noFollow: true });
  if (stat === undefined || etagOf(stat) !== etag) throw new FileChangedError({ path: relative });
  return stat.version;
}

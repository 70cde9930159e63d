import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname } from 'node:path';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { EnvdState } from '../envd-state.ts';
import { ensureDirectories, giveTo } from '../filesystem/ensure-directories.ts';
import { codeOf } from '../filesystem/system-error.ts';
import { resolvePath } from '../users/resolve-path.ts';
import type { EnvdUser } from '../users/user.ts';
import { actingUser } from './acting-user.ts';
import { FilesError } from './files-error.ts';

const composeRequest = z.object({
  source_paths: z
    .array(z.string())
    .nullish()
    .transform((paths) => paths ?? []),
  destination: z.string().default(''),
  username: z.string().nullish(),
});

async function readRequest(request: IncomingMessage): Promise<z.output<typeof composeRequest>> {
  let wanted: z.output<typeof composeRequest>;
  try {
    wanted = composeRequest.parse(await json(request));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FilesError(400, `invalid request body: ${reason}`, { cause: error });
  }
  if (wanted.source_paths.length === 0) throw new FilesError(400, 'source_paths must not be empty');
  if (wanted.destination === '') throw new FilesError(400, 'destination is required');
  return wanted;
}

async function checkSource(name: string, source: string, destination: string): Promise<void> {
  if (source === destination) throw new FilesError(400, `source path "${name}" cannot be the same as destination`);
  const stats = await stat(source).catch((error: unknown) => {
    throw new FilesError(404, `source file not found: ${name}`, { cause: error });
  });
  if (!stats.isFile()) throw new FilesError(400, `source path is not a regular file: ${name}`);
}

interface Composition {
  readonly sources: readonly string[];
  readonly destination: string;
  readonly user: EnvdUser;
}

/** What is at the destination stays as it is until all of the new file is there. */
async function concatenate({ sources, destination, user }: Composition): Promise<void> {
  const temporary = `${destination}.e2b-compose.${randomUUID()}.tmp`;
  try {
    await ensureDirectories(dirname(destination), user);
    await writeFile(temporary, '', { flag: 'wx', mode: 0o666 });
    await giveTo(temporary, user);
    for (const source of sources) {
      await pipeline(createReadStream(source), createWriteStream(temporary, { flags: 'a' }));
    }
    await rename(temporary, destination);
  } catch (error) {
    await rm(temporary, { force: true });
    if (codeOf(error) === 'ENOSPC') throw new FilesError(507, 'not enough disk space available', { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new FilesError(500, `error composing ${destination}: ${reason}`, { cause: error });
  }
}

/**
 * `POST /files/compose`: one file out of several, which are removed. The server lets in only who has the token.
 *
 * @throws FilesError 400, 401, 404, 500, 507
 */
export async function compose(request: IncomingMessage, response: ServerResponse, state: EnvdState): Promise<void> {
  const wanted = await readRequest(request);
  const user = await actingUser(wanted.username ?? undefined, state);
  const destination = resolvePath(wanted.destination, user, state);
  const sources: string[] = [];
  for (const name of wanted.source_paths) {
    const source = resolvePath(name, user, state);
    await checkSource(name, source, destination);
    sources.push(source);
  }
  await concatenate({ sources, destination, user });
  await Promise.all(sources.map((source) => rm(source, { force: true })));
  const entry = { name: basename(destination), path: destination, type: 'file' };
  response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(entry)}\n`);
}

import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { ConnectError } from '../connect/connect-error.ts';
import { readKeepaliveMs, withKeepalive } from '../connect/keepalive.ts';
import { parseRequest } from '../connect/parse-request.ts';
import type { CallContext, Service } from '../connect/service.ts';
import type { EnvdState } from '../envd-state.ts';
import { resolvePath } from '../users/resolve-path.ts';
import { ensureDirectories } from './ensure-directories.ts';
import { entryInfo } from './entry-info.ts';
import { listDirectory } from './list-directory.ts';
import { moveEntry } from './move-entry.ts';
import { listDirRequest, moveRequest, pathRequest, watchRequest, watcherRequest } from './requests.ts';
import { describeError, isMissing } from './system-error.ts';
import { type FilesystemEvent, WatchSession } from './watch-session.ts';
import { watchedPath } from './watched-path.ts';

async function makeDirectory(path: string, context: CallContext): Promise<void> {
  const existing = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    const reason = describeError(error, 'stat', path);
    throw new ConnectError('internal', `error getting file info: ${reason}`, { cause: error });
  });
  if (existing?.isDirectory() === true) {
    throw new ConnectError('already_exists', `directory already exists: ${path}`);
  }
  if (existing !== undefined) {
    throw new ConnectError('invalid_argument', `path already exists but it is not a directory: ${path}`);
  }
  try {
    await ensureDirectories(path, context.user);
  } catch (error) {
    throw new ConnectError('internal', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function removeEntry(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const reason = describeError(error, 'unlinkat', path);
    throw new ConnectError('internal', `error removing file or directory: ${reason}`, { cause: error });
  }
}

async function* toMessages(events: AsyncIterable<FilesystemEvent>): AsyncGenerator<object> {
  for await (const filesystem of events) yield { filesystem };
}

/** `filesystem.Filesystem`. Closing it ends the watches that clients poll. */
export function createFilesystemService(state: EnvdState): Service & { close(): Promise<void> } {
  const polled = new Map<string, WatchSession>();

  const pathOf = (request: unknown, { user }: CallContext): string =>
    resolvePath(parseRequest(pathRequest, request).path, user, state);

  const startSession = async (request: unknown, { user }: CallContext): Promise<WatchSession> => {
    const wanted = parseRequest(watchRequest, request);
    const session = new WatchSession({
      path: await watchedPath(wanted, user, state),
      isRecursive: wanted.recursive,
      includesEntry: wanted.includeEntry,
    });
    session.start();
    return session;
  };

  const polledSession = (watcherId: string): WatchSession => {
    const session = polled.get(watcherId);
    if (session === undefined) throw new ConnectError('not_found', `watcher with id ${watcherId} not found`);
    return session;
  };

  return {
    name: 'filesystem.Filesystem',
    unary: {
      Stat: async (request, context) => ({ entry: await entryInfo(pathOf(request, context)) }),
      MakeDir: async (request, context) => {
        const path = pathOf(request, context);
        await makeDirectory(path, context);
        return { entry: await entryInfo(path) };
      },
      Move: async (request, { user }) => {
        const wanted = parseRequest(moveRequest, request);
        const destination = resolvePath(wanted.destination, user, state);
        await moveEntry(resolvePath(wanted.source, user, state), destination, user);
        return { entry: await entryInfo(destination) };
      },
      ListDir: async (request, { user }) => {
        const { path, depth } = parseRequest(listDirRequest, request);
        const entries = await listDirectory(resolvePath(path, user, state), depth || 1);
        return entries.length === 0 ? {} : { entries };
      },
      Remove: async (request, context) => {
        await removeEntry(pathOf(request, context));
        return {};
      },
      CreateWatcher: async (request, context) => {
        const watcherId = `w${randomBytes(10).toString('hex')}`;
        polled.set(watcherId, await startSession(request, context));
        return { watcherId };
      },
      GetWatcherEvents: async (request) => {
        const events = await polledSession(parseRequest(watcherRequest, request).watcherId).take();
        return events.length === 0 ? {} : { events };
      },
      RemoveWatcher: async (request) => {
        const { watcherId } = parseRequest(watcherRequest, request);
        polledSession(watcherId)[Symbol.dispose]();
        polled.delete(watcherId);
        return {};
      },
    },
    streams: {
      async *WatchDir(request, context) {
        using session = await startSession(request, context);
        yield { start: {} };
        const messages = toMessages(session.follow(context.signal));
        yield* withKeepalive(messages, readKeepaliveMs(context.headers), { keepalive: {} });
      },
    },
    close: async () => {
      for (const session of polled.values()) session[Symbol.dispose]();
      polled.clear();
    },
  };
}

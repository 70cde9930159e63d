import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '@agent-workspace/core';
import type { ManagerStorage } from '@agent-workspace/manager';
import type { ServiceOptions } from '../options.ts';
import type { ServiceStore } from './service-store.ts';

export interface Storages {
  /** What the manager remembers. */
  readonly storage: ManagerStorage;
  /** What the service remembers. Closed last, since it has the connection. */
  readonly store: ServiceStore;
}

const CONNECT_TIMEOUT_MS = 5_000;
const UNIX = 'unix://';

/** In the base directory, or in Redis. Each is loaded when it is asked for. */
export async function openStorages({ basedir, redis }: ServiceOptions, logger: Logger): Promise<Storages> {
  return redis === undefined ? await openSqlite(basedir) : await openRedis(redis, logger);
}

async function openSqlite(basedir: string): Promise<Storages> {
  const [{ SqliteStorage }, { SqliteServiceStore }] = await Promise.all([
    import('@agent-workspace/manager/sqlite'),
    import('./sqlite-service-store.ts'),
  ]);
  return {
    store: SqliteServiceStore.open(join(basedir, 'service.db')),
    storage: new SqliteStorage({ path: join(basedir, 'manager.db') }),
  };
}

async function openRedis(url: string, logger: Logger): Promise<Storages> {
  const [{ createClient }, { RedisStorage }, { RedisServiceStore }] = await Promise.all([
    import('redis'),
    import('@agent-workspace/manager/redis'),
    import('./redis-service-store.ts'),
  ]);
  const socket = { connectTimeout: CONNECT_TIMEOUT_MS };
  const client = createClient({
    ...(url.startsWith(UNIX)
      ? { socket: { ...socket, path: url.slice(UNIX.length), tls: false as const } }
      : { url, socket }),
    // A request is told at once that Redis is away, rather than when it is back.
    disableOfflineQueue: true,
  });
  let isConnected = false;
  const connected = Promise.withResolvers<void>();
  client.on('ready', () => {
    isConnected = true;
    connected.resolve();
  });
  client.on('error', (error: Error) => {
    // The URL may have a password in it, which the error has not.
    logger.warn('Redis does not answer.', { reason: error.message });
    if (!isConnected) connected.reject(new Error(`Redis cannot be reached: ${error.message}`, { cause: error }));
  });
  client.connect().catch(connected.reject);
  try {
    await connected.promise;
  } catch (error) {
    client.destroy();
    throw error;
  }
  return {
    store: new RedisServiceStore({ client, replicaId: randomUUID(), logger }),
    storage: new RedisStorage({ client, prefix: 'agent-service:manager:' }),
  };
}

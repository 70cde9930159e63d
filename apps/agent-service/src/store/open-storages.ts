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

/** Where histories are, and where bindings can be as well. */
interface Memory {
  readonly store: ServiceStore;
  readonly makeStorage: () => ManagerStorage;
}

/**
 * In the base directory, or in Redis; with workspaces in a cluster, whose they are is kept there. Each is loaded when
 * it is asked for.
 */
export async function openStorages(options: ServiceOptions, logger: Logger): Promise<Storages> {
  const { backend, basedir, redis, cluster } = options;
  const inCluster = backend === 'kubernetes' ? await import('@agent-workspace/manager/kubernetes') : undefined;
  const { store, makeStorage } = redis === undefined ? await openSqlite(basedir) : await openRedis(redis, logger);
  return { store, storage: inCluster === undefined ? makeStorage() : new inCluster.KubernetesStorage(cluster) };
}

async function openSqlite(basedir: string): Promise<Memory> {
  const [{ SqliteStorage }, { SqliteServiceStore }] = await Promise.all([
    import('@agent-workspace/manager/sqlite'),
    import('./sqlite-service-store.ts'),
  ]);
  return {
    store: SqliteServiceStore.open(join(basedir, 'service.db')),
    makeStorage: () => new SqliteStorage({ path: join(basedir, 'manager.db') }),
  };
}

async function openRedis(url: string, logger: Logger): Promise<Memory> {
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
    store: new RedisServiceStore({ client, logger }),
    makeStorage: () => new RedisStorage({ client, prefix: 'agent-service:manager:' }),
  };
}

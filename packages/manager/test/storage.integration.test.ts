import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { MemoryStorage } from '../src/index.ts';
import { RedisStorage } from '../src/storage/redis/index.ts';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import { RedisServer } from './support/redis-server.ts';
import { describeStorageContract } from './support/storage-contract.ts';
import { WAIT } from './support/wait.ts';

const run = promisify(execFile);
const directory = await TemporaryDirectory.create();
const hasRedis = await RedisServer.isThere();
const server = hasRedis ? await RedisServer.start() : undefined;

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

function redis(): RedisServer {
  if (server === undefined) throw new Error('There is no Redis.');
  return server;
}

const memories = new Map<string, MemoryStorage>();
describeStorageContract('memory', {
  open: async (place) => {
    const storage = memories.get(place) ?? new MemoryStorage();
    memories.set(place, storage);
    return storage;
  },
});

describeStorageContract('SQLite', {
  open: async (place) => new SqliteStorage({ path: directory.at(`below/${place}.db`) }),
});

describe.skipIf(server === undefined)('on Redis', () => {
  describeStorageContract('Redis', {
    open: async (place) => new RedisStorage({ client: await redis().connect(), prefix: `${place}:` }),
  });
});

describe('MemoryStorage', () => {
  it('counts the time of a lease by no clock that may be set', async () => {
    const storage = new MemoryStorage();
    const options = { replicaId: 'r', ttlMs: 60_000 };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    try {
      expect(await storage.acquireLease('w', options)).toBeDefined();
      vi.setSystemTime(Date.now() + 3_600_000);
      expect(await storage.acquireLease('w', options)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('SqliteStorage', () => {
  it('is shared by processes that begin and write at the same time', async () => {
    const rounds = 100;
    const program = fileURLToPath(new URL('fixtures/bind-many.ts', import.meta.url));
    const path = directory.at('shared/manager.db');
    const processes = await Promise.all(
      ['one', 'two', 'three'].map((name) => run(process.execPath, [program, 'sqlite', path, name, String(rounds)])),
    );
    const results = processes.map(
      ({ stdout }) => JSON.parse(stdout) as { managerId: string; bound: string[]; fences: number[] },
    );
    expect(new Set(results.map(({ managerId }) => managerId)).size).toBe(1);
    expect(results.map(({ bound }) => bound)).toEqual(results.map(() => results[0]?.bound));
    const fences = results.flatMap((result) => result.fences);
    expect(new Set(fences).size).toBe(fences.length);
    expect(Math.max(...fences)).toBe(fences.length);
  });

  it('frees a lease that was taken before the clock was set back, and none for a second', async () => {
    await using storage = new SqliteStorage({ path: directory.at('clock.db') });
    const now = Date.now();
    const options = { replicaId: 'r', ttlMs: 60_000 };
    vi.useFakeTimers({ toFake: ['Date'], now });
    try {
      expect(await storage.acquireLease('w', options)).toBeDefined();
      vi.setSystemTime(now - 1_000);
      expect(await storage.acquireLease('w', { ...options, ttlMs: 1 })).toBeUndefined();
      vi.setSystemTime(now - 3_600_000);
      expect(await storage.acquireLease('w', options)).toBeDefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('remembers after it was closed, and opens by itself', async () => {
    const storage = new SqliteStorage({ path: directory.at('kept.db') });
    await storage.claim('w', 'u');
    await storage.close();
    expect(await storage.findOwner('w')).toBe('u');
    await storage.close();
  });

  it.each(['findOwner', 'forget', 'managerId'] as const)('says that %s failed, and on what', async (operation) => {
    await writeFile(directory.at('broken.db'), 'This is no database, as anyone can see who reads it.');
    await using storage = new SqliteStorage({ path: directory.at('broken.db') });
    const failed = { code: 'manager-storage-failed', details: { storage: 'sqlite', operation }, isRetryable: true };
    await expect(storage[operation]('w')).rejects.toMatchObject(failed);
    await expect(storage[operation]('w')).rejects.toThrow('file is not a database');
  });
});

describe.skipIf(server === undefined)('RedisStorage', () => {
  it('says that Redis has gone, and goes on when it is back', async () => {
    await using own = await RedisServer.start();
    const storage = new RedisStorage({ client: await own.connect(), timeoutMs: 2_000 });
    await storage.claim('w', 'u');
    await own.stop();
    const failed = { code: 'manager-storage-failed', details: { storage: 'redis' }, isRetryable: true };
    await expect(storage.claim('w', 'v')).rejects.toMatchObject(failed);
    await expect(storage.heartbeat({ replicaId: 'r', ttlMs: 1_000 })).rejects.toMatchObject({
      details: { operation: 'heartbeat' },
    });
    await own.start();
    await expect.poll(() => storage.bind('b', 'w-1').catch(() => 'away'), WAIT).toBe('w-1');
  });

  it('keeps services with different prefixes apart', async () => {
    const client = await redis().connect();
    const [one, two] = [new RedisStorage({ client, prefix: 'one:' }), new RedisStorage({ client, prefix: 'two:' })];
    await one.claim('w', 'u');
    expect(await two.findOwner('w')).toBeUndefined();
    expect(await one.managerId()).not.toBe(await two.managerId());
  });
});

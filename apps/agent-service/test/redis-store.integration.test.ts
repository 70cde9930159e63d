import { silentLogger } from '@agent-workspace/core';
import type { UIMessage } from 'ai';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseOptions } from '../src/options.ts';
import { openStorages } from '../src/store/open-storages.ts';
import { RedisServiceStore } from '../src/store/redis-service-store.ts';
import { hasRedis, RedisServer } from './support/redis-server.ts';

const KEY = { tenant: 'alpha', agentId: 'coder', sessionId: 's' };
const TURN = 'agent-service:turn:["alpha","coder","s"]';
const FIELDS = { workspaceId: 'w', title: '', permissionMode: 'full' } as const;
const LOST = { code: 'turn-lost' };
const MESSAGE: UIMessage = { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'said' }] };
/** As long as a replica that says nothing has a turn. */
const TURN_MS = 15_000;

const onLost = (): void => {};

describe.skipIf(!hasRedis)('stores of replicas', () => {
  let redis: RedisServer;
  let client: Awaited<ReturnType<typeof connect>>;
  let a: RedisServiceStore;
  let b: RedisServiceStore;

  const connect = async () => {
    const made = createClient({ socket: { path: redis.socket, tls: false }, disableOfflineQueue: true });
    // Redis goes away in some of these, which the commands tell.
    made.on('error', () => undefined);
    await made.connect();
    return made;
  };
  const open = async (timeoutMs?: number): Promise<RedisServiceStore> =>
    new RedisServiceStore({ client: await connect(), logger: silentLogger, timeoutMs });

  beforeEach(async () => {
    redis = await RedisServer.start();
    [client, a, b] = await Promise.all([connect(), open(), open()]);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all([a, b].map((store) => store[Symbol.asyncDispose]()));
    client.destroy();
    await redis[Symbol.asyncDispose]();
  });

  it('have one turn of a session among them', async () => {
    expect(await a.claimTurn(KEY, onLost)).toBe(true);
    await a.saveSession(KEY, FIELDS);
    expect(await b.claimTurn(KEY, onLost)).toBe(false);
    expect(await b.findSession(KEY)).toMatchObject({ hasTurn: true });
    // One that does not have it cannot end it.
    await b.releaseTurn(KEY);
    expect(await b.claimTurn(KEY, onLost)).toBe(false);
    await a.releaseTurn(KEY);
    expect(await b.claimTurn(KEY, onLost)).toBe(true);
  });

  it('renew their turns', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lost = vi.fn<(error: Error) => void>();
    await a.claimTurn(KEY, lost);
    await client.pExpire(TURN, 600_000);
    vi.advanceTimersByTime(5_000);
    await vi.waitFor(async () => expect(await client.pTTL(TURN)).toBeLessThanOrEqual(TURN_MS));
    expect(lost).not.toHaveBeenCalled();
    await a.releaseTurn(KEY);
    expect(await client.exists(TURN)).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leave a turn to the one that has it now', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lost = vi.fn<(error: Error) => void>();
    await a.claimTurn(KEY, lost);
    await a.saveSession(KEY, FIELDS);
    // As when its time is over.
    await client.del(TURN);
    expect(await b.claimTurn(KEY, onLost)).toBe(true);
    await b.appendChunk(KEY, { type: 'start' });
    const late = { position: 0, message: MESSAGE };
    await expect(a.appendChunk(KEY, { type: 'finish' })).rejects.toMatchObject(LOST);
    await expect(a.putMessages(KEY, [late], 1)).rejects.toMatchObject(LOST);
    await expect(a.saveSession(KEY, { ...FIELDS, title: 'late' })).rejects.toMatchObject(LOST);
    await expect(a.endTurn(KEY, late)).rejects.toMatchObject(LOST);
    expect(await b.chunks(KEY)).toEqual([{ type: 'start' }]);
    expect(await b.messages(KEY)).toEqual([]);
    expect(await b.findSession(KEY)).toMatchObject({ title: '' });
    const token = await client.get(TURN);
    vi.advanceTimersByTime(5_000);
    await vi.waitFor(() => expect(lost).toHaveBeenCalledWith(expect.objectContaining(LOST)));
    await a.releaseTurn(KEY);
    expect(await client.get(TURN)).toBe(token);
    await b.endTurn(KEY, late);
    expect(await a.messages(KEY)).toEqual([MESSAGE]);
  });

  it('count a turn as lost that was not renewed for as long as it lasts', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const lost = vi.fn<(error: Error) => void>();
    await a.claimTurn(KEY, lost);
    await redis.stop();
    vi.advanceTimersByTime(TURN_MS);
    await vi.waitFor(() => expect(lost).toHaveBeenCalledWith(expect.objectContaining(LOST)));
  });

  it('write nothing of a session that is gone', async () => {
    await a.claimTurn(KEY, onLost);
    await a.saveSession(KEY, FIELDS);
    await a.appendChunk(KEY, { type: 'start' });
    await b.deleteSession(KEY);
    await expect(a.appendChunk(KEY, { type: 'finish' })).rejects.toMatchObject(LOST);
    await expect(
      a.saveCompaction(KEY, { prefixHash: 'x', summary: 's', offloadedCount: 1, path: '/p' }),
    ).rejects.toMatchObject(LOST);
    await expect(a.endTurn(KEY, { position: 0, message: MESSAGE })).rejects.toMatchObject(LOST);
    await a.releaseTurn(KEY);
    expect(await client.keys('*')).toEqual([]);
  });

  it('say that Redis does not answer, rather than wait for it', async () => {
    await using store = await open(500);
    redis.suspend();
    const failed = { code: 'manager-storage-failed', details: { storage: 'redis' } };
    await expect(store.check()).rejects.toMatchObject(failed);
    await expect(store.findSession(KEY)).rejects.toMatchObject(failed);
    await expect(store.claimTurn(KEY, onLost)).rejects.toThrow('it did not answer in time');
    redis.resume();
    await expect.poll(() => store.check().catch(() => 'away')).toBeUndefined();
  });

  it('say at once that Redis is not there', async () => {
    const options = parseOptions(['--redis', 'unix:///nowhere/redis.sock'], {});
    await expect(openStorages(options, silentLogger)).rejects.toThrow('Redis cannot be reached');
  });
});

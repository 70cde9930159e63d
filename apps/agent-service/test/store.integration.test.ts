import { silentLogger } from '@agent-workspace/core';
import { TemporaryDirectory } from '@agent-workspace/testing';
import type { UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOptions } from '../src/options.ts';
import { openStorages, type Storages } from '../src/store/open-storages.ts';
import type { SessionKey } from '../src/store/service-store.ts';
import { hasRedis, RedisServer } from './support/redis-server.ts';

const onLost = (): void => {};
const message = (id: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text: id }] });
const kinds = hasRedis ? (['sqlite', 'redis'] as const) : (['sqlite'] as const);

describe.each(kinds)('a store in %s', (kind) => {
  let directory: TemporaryDirectory;
  let redis: RedisServer | undefined;
  let storages: Storages;
  const open = async (): Promise<Storages> => {
    const args = redis === undefined ? [] : ['--redis', redis.url];
    return await openStorages(parseOptions(['--basedir', directory.path, ...args], {}), silentLogger);
  };
  beforeAll(async () => {
    directory = await TemporaryDirectory.create();
    if (kind === 'redis') redis = await RedisServer.start();
    storages = await open();
  });
  afterAll(async () => {
    await storages.store[Symbol.asyncDispose]();
    await redis?.[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  const key = (sessionId: string, tenant = 'alpha', agentId = 'coder'): SessionKey => ({ tenant, agentId, sessionId });
  /** In a turn, as all that is written of a session. */
  const inTurn = async (of: SessionKey, write: () => Promise<void>): Promise<void> => {
    expect(await storages.store.claimTurn(of, onLost)).toBe(true);
    await write();
    await storages.store.releaseTurn(of);
  };
  const save = async (of: SessionKey, workspaceId = 'w1', messages: readonly UIMessage[] = []): Promise<void> =>
    await inTurn(of, async () => {
      await storages.store.saveSession(of, { workspaceId, title: of.sessionId, permissionMode: 'full' });
      const placed = messages.map((each, position) => ({ position, message: each }));
      await storages.store.putMessages(of, placed, placed.length);
    });

  it('keeps sessions of tenants and agents apart, whatever their ids', async () => {
    const { store } = storages;
    const keys = [key('a:b'), key('b', 'alpha', 'coder:a'), key('a:b', 'beta'), key('"],["', 'alpha')];
    for (const [index, of] of keys.entries()) await save(of, 'w1', [message(`m${index}`)]);
    for (const [index, of] of keys.entries()) expect(await store.messages(of)).toEqual([message(`m${index}`)]);
    await store.deleteSession(key('a:b'));
    expect(await store.findSession(key('a:b'))).toBeUndefined();
    expect(await store.messages(key('a:b'))).toEqual([]);
    expect(await store.messages(key('a:b', 'beta'))).toHaveLength(1);
    const listed = await store.listSessions('alpha', { limit: 10 });
    expect(listed.map(({ sessionId }) => sessionId).toSorted()).toEqual(['"],["', 'b']);
  });

  it('keeps chunks until the turn ends, and its message in their place', async () => {
    const { store } = storages;
    const of = key('turn');
    await save(of);
    expect(await store.claimTurn(of, onLost)).toBe(true);
    await store.putMessages(of, [{ position: 0, message: message('u') }], 1);
    const chunks = [{ type: 'start' }, { type: 'text-start', id: 't' }] as const;
    for (const chunk of chunks) await store.appendChunk(of, chunk);
    expect(await store.chunks(of)).toEqual(chunks);
    await store.endTurn(of, { position: 1, message: message('a') });
    await store.releaseTurn(of);
    expect(await store.chunks(of)).toEqual([]);
    expect(await store.messages(of)).toEqual([message('u'), message('a')]);
    expect(await store.findSession(of)).toMatchObject({ messages: 2, title: 'turn', isAwaitingApproval: false });
    await inTurn(of, async () => {
      await store.putMessages(of, [{ position: 1, message: message('b') }], 2);
      await store.putMessages(of, [], 1);
    });
    expect(await store.messages(of)).toEqual([message('u')]);
  });

  it('pages without leaving one out, also of those of one moment', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `s${index}`);
    for (const id of ids) await save(key(id, 'pager'));
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await storages.store.listSessions('pager', { limit: 4, before });
      seen.push(...page.map(({ sessionId }) => sessionId));
      before = page.at(-1)?.cursor;
      expect(before ?? '0-0').toMatch(/^\d+-\d+$/u);
    } while (before !== undefined);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it('forgets a workspace with its sessions', async () => {
    const { store } = storages;
    await store.noteWorkspace('gamma', { workspaceId: 'w1', agentId: 'coder', sessionId: 's' });
    await store.noteWorkspace('gamma', { workspaceId: 'w2', agentId: 'coder', sessionId: 's' });
    await save(key('in-w1', 'gamma'), 'w1');
    await save(key('in-w2', 'gamma'), 'w2');
    await store.deleteWorkspace('gamma', 'w1');
    expect((await store.listWorkspaces('gamma')).map(({ workspaceId }) => workspaceId)).toEqual(['w2']);
    expect(await store.findSession(key('in-w1', 'gamma'))).toBeUndefined();
    expect(await store.findSession(key('in-w2', 'gamma'))).toBeDefined();
    expect(await store.findWorkspace('alpha', 'w2')).toBeUndefined();
  });

  it('has what was said of compression', async () => {
    const { store } = storages;
    const of = key('compressed');
    await save(of);
    expect(await store.loadCompaction(of)).toBeUndefined();
    const state = { prefixHash: 'x', summary: 's', offloadedCount: 3, path: '/p' };
    await inTurn(of, () => store.saveCompaction(of, state));
    expect(await store.loadCompaction(of)).toEqual(state);
  });
});

import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { framesOf, saidIn, sessionPath, textIn, untilFrame } from './support/client.ts';
import { openTestService, type TestService } from './support/in-process.ts';
import { processInWorkspace } from './support/process-in-workspace.ts';
import { hasRedis, RedisServer } from './support/redis-server.ts';

const SESSION = sessionPath('coder', 's');
const TURN = 'agent-service:turn:["alpha","coder","s"]';

describe.skipIf(!hasRedis)('two replicas', () => {
  let redis: RedisServer;
  let a: TestService;
  let b: TestService;

  beforeEach(async () => {
    redis = await RedisServer.start();
    a = await openTestService({ redis: redis.url, isSingleTenant: true });
    b = await openTestService({ redis: redis.url, isSingleTenant: true, basedir: a.directory.at('data') });
  });
  afterEach(async () => {
    await b[Symbol.asyncDispose]();
    await a[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  it('take nothing away from a turn of the other', async () => {
    const frames = framesOf(await a.alpha.request('POST', `${SESSION}/chat`, { json: { text: '/hang' } }));
    await untilFrame(frames, ({ data }) => data.includes('Thinking'));
    const { workspaceId } = await b.alpha.json<{ workspaceId: string }>('GET', SESSION);
    const attempts = [
      ['DELETE', SESSION, 'chat-in-progress'],
      ['DELETE', `/v1/workspaces/${workspaceId}`, 'workspace-in-use'],
      ['POST', `/v1/workspaces/${workspaceId}/close`, 'workspace-in-use'],
    ] as const;
    for (const [method, path, code] of attempts) {
      const refused = await b.alpha.request(method, path);
      expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code, isRetryable: true } }]);
    }
    expect(await a.alpha.json('POST', `${SESSION}/chat/stop`)).toEqual({ stopped: true });
    await frames.return();
    expect(textIn((await b.alpha.messages(SESSION))[1])).toContain('Thinking');

    expect((await b.alpha.request('DELETE', SESSION)).status).toBe(204);
    expect((await a.alpha.request('GET', SESSION)).status).toBe(404);
    await a.alpha.chat(SESSION, { text: '/say anew' });
    expect(await b.alpha.messages(SESSION)).toHaveLength(2);
    expect((await b.alpha.request('DELETE', `/v1/workspaces/${workspaceId}`)).status).toBe(204);
  });

  it('end a turn that is no longer theirs, with what it has running', async () => {
    const command = 'echo $$ > pid; exec sleep 300';
    const frames = framesOf(await a.alpha.request('POST', `${SESSION}/chat`, { json: { text: `/run ${command}` } }));
    const running = await processInWorkspace(a, 'pid');
    const client = createClient({ socket: { path: redis.socket, tls: false } });
    await client.connect();
    // As when its time was over, and the other has begun one.
    await client.set(TURN, 'of another');
    await untilFrame(frames, ({ data }) => data.includes('The turn was lost'));
    await untilFrame(frames, ({ data }) => data === '[DONE]');
    await expect.poll(() => running.isAlive()).toBe(false);
    expect(await client.get(TURN)).toBe('of another');
    await client.del(TURN);
    client.destroy();
    expect(saidIn(await b.alpha.chat(SESSION, { text: '/say on we go' }))).toBe('on we go');
  });
});

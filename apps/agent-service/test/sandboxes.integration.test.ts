import { buildImage } from '@agent-workspace/docker';
import { E2BEmulator } from '@agent-workspace/e2b-emulator';
import { requireEngine } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ClusterOptions } from '../src/options.ts';
import { saidIn, sessionPath } from './support/client.ts';
import { openTestService, type TestService } from './support/in-process.ts';
import { createNamespace, hasCluster } from './support/test-cluster.ts';

/** An image may have to be built, and sandboxes start. */
const TIMEOUT_MS = 300_000;

const PLACES = [
  { backend: 'docker', isThere: await requireEngine('docker', () => buildImage()) },
  {
    backend: 'e2b',
    isThere: await requireEngine('e2b', async () => {
      await using emulator = await E2BEmulator.start();
      if (emulator.isolation === 'process') throw new Error(emulator.isolationReason);
    }),
  },
  { backend: 'kubernetes', isThere: hasCluster },
] as const;

describe.each(PLACES.filter(({ isThere }) => isThere))('a service with sandboxes of $backend', ({ backend }) => {
  const resources = new AsyncDisposableStack();
  let test: TestService;

  beforeAll(async () => {
    if (backend === 'e2b') {
      const emulator = resources.adopt(await E2BEmulator.start(), (started) => started.close());
      for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);
      resources.defer(() => void vi.unstubAllEnvs());
    }
    let cluster: ClusterOptions = {};
    if (backend === 'kubernetes') {
      const { kubeconfig, namespace } = resources.use(await createNamespace());
      cluster = { kubeconfig, namespace };
    }
    test = resources.use(await openTestService({ backend, cluster }));
  }, TIMEOUT_MS);

  afterAll(() => resources.disposeAsync(), TIMEOUT_MS);

  it('gives each tenant a shell of its own', { timeout: TIMEOUT_MS }, async () => {
    const session = sessionPath('coder', 's');
    expect(await test.alpha.json('GET', '/v1/status')).toMatchObject({ features: { bash: true, mcps: true } });
    const [alpha, beta] = await Promise.all([
      test.alpha.chat(session, { text: '/run echo alpha > /tmp/mine; hostname; cat /tmp/mine' }),
      test.beta.chat(session, { text: '/run hostname; cat /tmp/mine' }),
    ]);
    expect(saidIn(alpha)).toContain('alpha');
    expect(saidIn(beta)).not.toContain('alpha');
    expect(saidIn(beta)).toContain('No such file');
  });

  it(
    'keeps files that a client puts there within reach of the shell, and offloads',
    { timeout: TIMEOUT_MS },
    async () => {
      const session = sessionPath('coder', 's');
      const { workspaceId } = await test.alpha.json<{ workspaceId: string }>('GET', session);
      const base = `/v1/workspaces/${workspaceId}`;
      const put = await test.alpha.request('PUT', `${base}/files/content?path=in/put.txt`, { body: 'from outside' });
      expect(put.status).toBe(201);
      expect(saidIn(await test.alpha.chat(session, { text: '/run cat in/put.txt' }))).toContain('from outside');
      for (const path of ['/etc/passwd', '../../etc/passwd', '/proc/self/environ']) {
        const query = `path=${encodeURIComponent(path)}`;
        expect((await test.alpha.request('GET', `${base}/files/content?${query}`)).status).toBe(403);
      }
      await test.alpha.chat(session, { text: '/run ln -sfn /etc etc' });
      expect((await test.alpha.request('GET', `${base}/files/content?path=etc/passwd`)).status).toBe(403);
      await test.alpha.chat(session, { text: '/run seq 1 20000' });
      const { results } = await test.alpha.json<{ results: { name: string }[] }>('GET', `${session}/results`);
      const result = await test.alpha.request('GET', `${session}/results/${results[0]?.name}`);
      expect(await result.text()).toContain('20000');
    },
  );

  it('stops a command in its sandbox', { timeout: TIMEOUT_MS }, async () => {
    const session = sessionPath('coder', 'stopped');
    const turn = test.alpha.chat(session, { text: '/run echo begun > begun; sleep 600' });
    const { workspaceId } = await test.alpha.json<{ workspaceId: string }>('POST', '/v1/workspaces', {
      agentId: 'coder',
    });
    const begun = `/v1/workspaces/${workspaceId}/files/content?path=begun`;
    await expect.poll(async () => (await test.alpha.request('GET', begun)).status, { timeout: 60_000 }).toBe(200);
    await test.alpha.json('POST', `${session}/chat/stop`);
    expect((await turn).some(({ type }) => type === 'abort')).toBe(true);
  });
});

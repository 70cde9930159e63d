import { surveyCluster } from '@agent-workspace/kubernetes';
import { describe, expect, it } from 'vitest';
import { saidIn, sessionPath } from './support/client.ts';
import { openTestService } from './support/in-process.ts';
import { createNamespace, hasCluster } from './support/test-cluster.ts';

describe.skipIf(!hasCluster)('two services on one cluster', { timeout: 180_000 }, () => {
  it('know whose a workspace is by the cluster alone, and leave no Pod', async () => {
    await using place = await createNamespace();
    const { kubeconfig, namespace } = place;
    const options = { backend: 'kubernetes', cluster: { kubeconfig, namespace } } as const;
    const session = sessionPath('coder', 's');
    const list = async () => (await surveyCluster(options.cluster)).workspaces.map(({ state }) => state);
    {
      await using first = await openTestService(options);
      await using second = await openTestService(options);
      const written = await first.alpha.chat(session, { text: '/run echo by the first > shared; cat shared' });
      expect(saidIn(written)).toContain('by the first');
      const [same, other] = await Promise.all([
        second.alpha.chat(session, { text: '/run cat shared' }),
        second.beta.chat(session, { text: '/run cat shared' }),
      ]);
      expect(saidIn(same)).toContain('by the first');
      expect(saidIn(other)).toContain('No such file');
      const [mine, again] = await Promise.all(
        [first, second].map(({ alpha }) => alpha.json<{ workspaceId: string }>('GET', session)),
      );
      expect(again?.workspaceId).toBe(mine?.workspaceId);
      // One of each tenant's, however many services have it open.
      expect(await list()).toEqual(['running', 'running']);
    }
    expect(await list()).toEqual(['closed', 'closed']);
  });
});

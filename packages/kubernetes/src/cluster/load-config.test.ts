import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { ClusterConnection } from './cluster-connection.ts';

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: one
clusters: [{ name: c, cluster: { server: 'https://one.example' } }, { name: d, cluster: { server: 'https://two.example' } }]
users: [{ name: u, user: {} }]
contexts:
  - { name: one, context: { cluster: c, user: u, namespace: agents } }
  - { name: two, context: { cluster: d, user: u } }
  - { name: none, context: { cluster: missing, user: u } }
`;

describe('ClusterConnection.open', () => {
  it('takes the path of a kubeconfig, or its text', async () => {
    await using directory = await TemporaryDirectory.create({ config: KUBECONFIG });
    for (const kubeconfig of [KUBECONFIG, directory.at('config')]) {
      expect(await ClusterConnection.open({ kubeconfig })).toMatchObject({
        server: 'https://one.example',
        namespace: 'agents',
      });
    }
  });

  it("takes the context and the namespace that are named, and the context's own else", async () => {
    const open = (options: { context?: string; namespace?: string }): Promise<ClusterConnection> =>
      ClusterConnection.open({ kubeconfig: KUBECONFIG, ...options });
    expect(await open({ context: 'two' })).toMatchObject({ server: 'https://two.example', namespace: 'default' });
    expect(await open({ namespace: 'mine' })).toMatchObject({ server: 'https://one.example', namespace: 'mine' });
  });

  it.each([
    ['a path that is not there', { kubeconfig: '/nonexistent' }, 'kubeconfig'],
    ['a text that is none', { kubeconfig: 'a\n: {' }, 'kubeconfig'],
    ['a context that is not there', { kubeconfig: KUBECONFIG, context: 'three' }, 'context'],
    ['a context without a cluster', { kubeconfig: KUBECONFIG, context: 'none' }, 'context'],
  ])('refuses %s', async (_what, options, option) => {
    await expect(ClusterConnection.open(options)).rejects.toMatchObject({
      code: 'kubernetes-options-invalid',
      details: { option },
    });
  });

  it('fails as what cannot be used where nothing listens', async () => {
    const kubeconfig = KUBECONFIG.replace('https://one.example', 'https://127.0.0.1:47');
    const connection = await ClusterConnection.open({ kubeconfig });
    await expect(
      connection.call('list', (o) => connection.core.listNamespacedPod({ namespace: 'x' }, o)),
    ).rejects.toMatchObject({
      code: 'kubernetes-unavailable',
      isRetryable: true,
      details: { server: 'https://127.0.0.1:47', reason: expect.stringContaining('ECONNREFUSED') },
    });
  });
});

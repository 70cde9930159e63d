import { inspect } from 'node:util';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
    ['a text of nothing', { kubeconfig: '\n' }, 'kubeconfig'],
    ['users that are no list', { kubeconfig: KUBECONFIG.replace(/users: .*/, 'users: 3') }, 'kubeconfig'],
    ['a file of a token that is no path', { kubeconfig: KUBECONFIG.replace('{}', '{ tokenFile: 3 }') }, 'kubeconfig'],
    ['a namespace that is no text', { kubeconfig: KUBECONFIG.replace('agents', '3') }, 'kubeconfig'],
    ['a context that is not there', { kubeconfig: KUBECONFIG, context: 'three' }, 'context'],
    ['a context without a cluster', { kubeconfig: KUBECONFIG, context: 'none' }, 'context'],
  ])('refuses %s', async (_what, options, option) => {
    await expect(ClusterConnection.open(options)).rejects.toMatchObject({
      code: 'kubernetes-options-invalid',
      details: { option },
    });
  });

  it('takes a text of one line', async () => {
    const cluster = { name: 'c', cluster: { server: 'https://one.example' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    const config = { clusters: [cluster], users: [{ name: 'u' }], contexts: [context], 'current-context': 'x' };
    for (const kubeconfig of [JSON.stringify(config), ` ${JSON.stringify(config)}`]) {
      expect(await ClusterConnection.open({ kubeconfig })).toMatchObject({ server: 'https://one.example' });
    }
  });

  it.each([
    ['a text of one line', '{"users":[{"user":{"token":"s3cret"}}]}', 'users[0].name is missing'],
    ['a line that ends too soon', '{"users":[{"user":{"token":"s3cret"', 'line 1'],
    ['lines', 'users:\n- token: s3cret\n  bad: [', 'line 3'],
    ['a list', 'users: [s3cret]\nclusters: []', 'users[0].name is missing'],
  ])(
    'tells where %s is no kubeconfig, and nothing of what is in it, be it given, in a file, or in that of KUBECONFIG',
    async (_what, text, place) => {
      await using directory = await TemporaryDirectory.create({ config: text });
      vi.stubEnv('KUBECONFIG', directory.at('config'));
      onTestFinished(() => void vi.unstubAllEnvs());
      for (const kubeconfig of [text, directory.at('config'), undefined]) {
        const error: unknown = await ClusterConnection.open({ kubeconfig }).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          message: expect.stringContaining(`its text is not that of a kubeconfig: ${place}`),
        });
        expect(inspect(error, { depth: Infinity })).not.toContain('s3cret');
      }
    },
  );

  it('tells nothing of a text that was encoded, and so is one long line', async () => {
    const kubeconfig = Buffer.from(KUBECONFIG).toString('base64');
    const error: unknown = await ClusterConnection.open({ kubeconfig }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'kubernetes-options-invalid' });
    expect(inspect(error, { depth: Infinity })).not.toContain(kubeconfig.slice(0, 20));
  });

  it.each([
    ['as it is', KUBECONFIG],
    ['encoded', Buffer.from(KUBECONFIG).toString('base64')],
  ])('tells that KUBECONFIG has a text, %s, and nothing of it', async (_how, text) => {
    vi.stubEnv('KUBECONFIG', text);
    onTestFinished(() => void vi.unstubAllEnvs());
    const error: unknown = await ClusterConnection.open().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'kubernetes-unavailable',
      details: { reason: expect.stringContaining('KUBECONFIG has the text of a kubeconfig') },
    });
    expect(inspect(error, { depth: Infinity })).not.toContain(text.trim().slice(0, 20));
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

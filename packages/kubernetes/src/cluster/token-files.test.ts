import { rename, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { KubeConfig, loadYaml } from '@kubernetes/client-node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ClusterConnection } from './cluster-connection.ts';
import { followTokenFiles } from './token-files.ts';

const KUBECONFIG = `
current-context: one
clusters: [{ name: c, cluster: { server: 'https://one.example' } }]
users: [{ name: u, user: { tokenFile: token, token: of-the-kubeconfig } }, { name: v, user: { token: as-it-is } }, { name: w }]
contexts:
  - { name: one, context: { cluster: c, user: u } }
  - { name: two, context: { cluster: c, user: v } }
`;

/** As a node does it. */
async function renew(path: string, token: string): Promise<void> {
  await writeFile(`${path}.new`, token);
  await rename(`${path}.new`, path);
}

async function authorization(connection: ClusterConnection): Promise<unknown> {
  const { headers } = await connection.connectionOptions();
  return (headers as Record<string, unknown> | undefined)?.['Authorization'];
}

describe('a token in a file', () => {
  it.each<[string, (path: string) => { kubeconfig?: string }]>([
    ['a kubeconfig', (path) => ({ kubeconfig: path })],
    [
      'the KUBECONFIG',
      (path) => {
        vi.stubEnv('KUBECONFIG', path);
        onTestFinished(() => void vi.unstubAllEnvs());
        return {};
      },
    ],
  ])('[K09] that %s names, is what is in it at each request, and is beside it', async (_what, options) => {
    await using directory = await TemporaryDirectory.create({ config: KUBECONFIG, token: 'first\n' });
    const connection = await ClusterConnection.open(options(directory.at('config')));
    expect(await authorization(connection)).toBe('Bearer first');
    await renew(directory.at('token'), 'second');
    expect(await authorization(connection)).toBe('Bearer second');
  });

  it('[K09] of the service account of a Pod is what is in it at each request', async () => {
    const inPod = 'var/run/secrets/kubernetes.io/serviceaccount';
    await using directory = await TemporaryDirectory.create({ [`${inPod}/token`]: 'first', [`${inPod}/ca.crt`]: '' });
    const config = new KubeConfig();
    config.loadFromCluster(directory.path);
    followTokenFiles(config, [], loadYaml);
    const header = async (): Promise<unknown> => {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return (options.headers as Record<string, unknown> | undefined)?.['Authorization'];
    };
    expect(await header()).toBe('Bearer first');
    await renew(directory.at(`${inPod}/token`), 'second');
    expect(await header()).toBe('Bearer second');
  });

  it('is said to be missing where it is', async () => {
    await using directory = await TemporaryDirectory.create({ config: KUBECONFIG });
    const connection = await ClusterConnection.open({ kubeconfig: directory.at('config') });
    await expect(authorization(connection)).rejects.toMatchObject({
      code: 'kubernetes-unavailable',
      details: { reason: expect.stringContaining(directory.at('token')) },
    });
  });

  it('is no matter for users whose token is in the kubeconfig itself', async () => {
    expect(await authorization(await ClusterConnection.open({ kubeconfig: KUBECONFIG, context: 'two' }))).toBe(
      'Bearer as-it-is',
    );
  });
});

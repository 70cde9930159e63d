import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildImage } from '@agent-workspace/docker';
import { requireEngine } from '@agent-workspace/testing';
import { expect, describe, it } from 'vitest';
import { BAKED_DIRECTORY, OWN_DIRECTORY } from '../src/bootstrap/layout.ts';
import { hasKubernetes } from './support/cluster.ts';
import { shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 240_000 };
const CLUSTER_COMMAND = join(import.meta.dirname, '../../../scripts/cluster.ts');

/** An image is built by a Docker Engine, and carried over to the cluster that is made here. */
const canLoad: boolean =
  hasKubernetes &&
  (process.env['WORKSPACE_KUBECONFIG'] ?? '') === '' &&
  (await requireEngine('docker', () => buildImage({ user: '1000' })));

describe.skipIf(!canLoad)('an image that @agent-workspace/docker has built', () => {
  const tests = useKubernetes();

  it('has the gateway already, which is run as it is', SLOW, async () => {
    const image = await buildImage({ user: '1000' });
    await promisify(execFile)(process.execPath, [CLUSTER_COMMAND, 'load', image]);
    const workspace = await tests.open({ image, imagePullPolicy: 'Never' });
    expect(
      await tests.inside(`ls ${OWN_DIRECTORY}/files; cd ${OWN_DIRECTORY}; readlink -f gateway.cjs rg node cache`),
    ).toBe(
      ['gateway/gateway.cjs', 'gateway/rg', 'node/bin/node', 'cache']
        .map((name) => `${BAKED_DIRECTORY}/${name}\n`)
        .join(''),
    );
    expect(await shell(workspace, 'python3 -c "print(6 * 7)"; node -p "6 * 7"; echo $HOME')).toBe(
      '42\n42\n/home/agent\n',
    );
  });
});

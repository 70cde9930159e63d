import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasKubernetes } from './cluster.ts';

const CLUSTER_COMMAND = join(import.meta.dirname, '../../../../scripts/cluster.ts');

/** Parts of the cluster for tests are killed only where it is the one that is made here. */
export const canRestartParts: boolean = hasKubernetes && (process.env['WORKSPACE_KUBECONFIG'] ?? '') === '';

if (hasKubernetes && !canRestartParts) {
  console.warn(
    'Skipping the tests that restart parts of the cluster: WORKSPACE_KUBECONFIG names one that is not ours.',
  );
}

/** Kills a part of the cluster with SIGKILL, and starts it again. Settles when it answers. */
export async function restartPart(part: 'apiserver' | 'kubelet'): Promise<void> {
  await promisify(execFile)(process.execPath, [CLUSTER_COMMAND, 'restart', part]);
}

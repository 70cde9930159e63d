import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/cluster.ts', import.meta.url));

/** Whether a cluster is named where `kubectl` looks for one. */
export function userHasKubeconfig(): boolean {
  return (process.env['KUBECONFIG'] ?? '') !== '' || existsSync(join(homedir(), '.kube', 'config'));
}

/** Of the cluster that `pnpm cluster up` started, if it runs. */
export function testClusterKubeconfig(): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const directory = process.env['WORKSPACE_CLUSTER_DIR'] ?? join(cache, 'agent-workspace', 'cluster');
  const kubeconfig = join(directory, 'run', 'kubeconfig');
  return existsSync(kubeconfig) ? kubeconfig : undefined;
}

/** Copies an image from the Docker Engine of this machine. */
export async function loadIntoTestCluster(image: string): Promise<void> {
  await promisify(execFile)(process.execPath, [SCRIPT, 'load', image]);
}

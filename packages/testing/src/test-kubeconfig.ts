import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER = process.env['WORKSPACE_CLUSTER_DIR'] ?? join(homedir(), '.cache', 'agent-workspace', 'cluster');

/**
 * Path of the kubeconfig of the cluster for tests, and never of the one that this user has: `WORKSPACE_KUBECONFIG`, or
 * that of `pnpm cluster up`, whose folder `WORKSPACE_CLUSTER_DIR` names.
 */
export const TEST_KUBECONFIG: string = process.env['WORKSPACE_KUBECONFIG'] ?? join(FOLDER, 'run', 'kubeconfig');

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { requireEngine } from '@agent-workspace/testing';
import { ClusterConnection } from '../../src/index.ts';

const FOLDER = process.env['WORKSPACE_CLUSTER_DIR'] ?? join(homedir(), '.cache', 'agent-workspace', 'cluster');

/** The cluster for tests, and never the one that this user has. */
export const KUBECONFIG: string = process.env['WORKSPACE_KUBECONFIG'] ?? join(FOLDER, 'run', 'kubeconfig');

/** Has no Node. */
export const PYTHON_IMAGE = 'python:3.12-slim';

/** Whether the tests here can run. */
export const hasKubernetes: boolean = await requireEngine('kubernetes', async () => {
  await readFile(KUBECONFIG).catch(() => {
    throw new Error(`there is no ${KUBECONFIG}; have the cluster run with \`pnpm cluster up\``);
  });
  const connection = await ClusterConnection.open({ kubeconfig: KUBECONFIG });
  await connection.call('list the namespaces', (o) => connection.core.listNamespace({ limit: 1 }, o));
});

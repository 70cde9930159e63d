import { readFile } from 'node:fs/promises';
import { requireEngine, TEST_KUBECONFIG } from '@agent-workspace/testing';
import { ClusterConnection } from '../../src/index.ts';

/** Has no Node. */
export const PYTHON_IMAGE = 'python:3.12-slim';

/** Whether the tests here can run. */
export const hasKubernetes: boolean = await requireEngine('kubernetes', async () => {
  await readFile(TEST_KUBECONFIG).catch(() => {
    throw new Error(`there is no ${TEST_KUBECONFIG}; have the cluster run with \`pnpm cluster up\``);
  });
  const connection = await ClusterConnection.open({ kubeconfig: TEST_KUBECONFIG });
  await connection.call('list the namespaces', (o) => connection.core.listNamespace({ limit: 1 }, o));
});

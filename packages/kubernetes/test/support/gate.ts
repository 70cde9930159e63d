import { setHeaderOptions } from '@kubernetes/client-node';
import type { KubernetesWorkspaceOptions } from '../../src/index.ts';
import type { TestNamespace } from './test-namespace.ts';

/** For a Pod that nothing starts until its gate is opened, with so much time that no test gets there. */
export const GATED: KubernetesWorkspaceOptions = {
  podTemplate: { spec: { schedulingGates: [{ name: 'test.example/gate' }] } },
  startTimeoutMs: 200_000,
};

/** Has the only Pod of a namespace start. */
export async function openGate(namespace: TestNamespace): Promise<void> {
  const { connection, name: inNamespace } = namespace;
  const { name } = await namespace.pod();
  const body = [{ op: 'remove', path: '/spec/schedulingGates' }];
  await connection.call('open the gate', (o) =>
    connection.core.patchNamespacedPod(
      { name, namespace: inNamespace, body },
      setHeaderOptions('Content-Type', 'application/json-patch+json', o),
    ),
  );
}

import { randomUUID } from 'node:crypto';
import type { CoreV1Event, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { expect, vi } from 'vitest';
import { TEST_KUBECONFIG } from '@agent-workspace/testing';
import { ClusterConnection } from '../../src/index.ts';

export interface TestNamespaceOptions {
  readonly labels?: Record<string, string> | undefined;
}

const WAIT = { timeout: 120_000, interval: 50 };

/** What the API server itself enforces. */
export const RESTRICTED: Record<string, string> = { 'pod-security.kubernetes.io/enforce': 'restricted' };

/** A namespace for the tests of a file, deleted at their end with all that is in it. */
export class TestNamespace implements AsyncDisposable {
  readonly name: string;
  readonly connection: ClusterConnection;
  readonly options: { readonly kubeconfig: string; readonly namespace: string };

  private constructor(name: string, connection: ClusterConnection) {
    this.name = name;
    this.connection = connection;
    this.options = { kubeconfig: TEST_KUBECONFIG, namespace: name };
  }

  static async create({ labels = RESTRICTED }: TestNamespaceOptions = {}): Promise<TestNamespace> {
    const name = `aw-test-${randomUUID()}`;
    const connection = await ClusterConnection.open({ kubeconfig: TEST_KUBECONFIG, namespace: name });
    const { core } = connection;
    await connection.call('create a namespace', (o) =>
      core.createNamespace({ body: { metadata: { name, labels } } }, o),
    );
    // Pods are refused before that.
    const account = { name: 'default', namespace: name };
    await vi.waitFor(() => connection.call('read', (o) => core.readNamespacedServiceAccount(account, o)), WAIT);
    return new TestNamespace(name, connection);
  }

  async pods(): Promise<readonly V1Pod[]> {
    const { core } = this.connection;
    return (await this.connection.call('list', (o) => core.listNamespacedPod({ namespace: this.name }, o))).items;
  }

  /** Of the only workspace there is. */
  async pod(): Promise<V1Pod & { readonly name: string }> {
    const [pod, ...others] = await this.pods();
    if (pod === undefined || others.length > 0) throw new Error('There is not one Pod.');
    return Object.assign(pod, { name: pod.metadata?.name ?? '' });
  }

  async claims(): Promise<readonly V1PersistentVolumeClaim[]> {
    const { core } = this.connection;
    const request = { namespace: this.name };
    return (await this.connection.call('list', (o) => core.listNamespacedPersistentVolumeClaim(request, o))).items;
  }

  async events(): Promise<readonly CoreV1Event[]> {
    const { core } = this.connection;
    return (await this.connection.call('list', (o) => core.listNamespacedEvent({ namespace: this.name }, o))).items;
  }

  /** As somebody else does it. */
  async deletePod(name: string, { force = false }: { readonly force?: boolean } = {}): Promise<void> {
    const { core } = this.connection;
    const request = { name, namespace: this.name, ...(force && { gracePeriodSeconds: 0 }) };
    await this.connection.call('delete', (o) => core.deleteNamespacedPod(request, o));
  }

  /** Removes all that a test has left. */
  async empty(): Promise<void> {
    const { core } = this.connection;
    const request = { namespace: this.name, gracePeriodSeconds: 0 };
    await this.connection.call('delete', (o) => core.deleteCollectionNamespacedPod(request, o));
    await this.connection.call('delete', (o) => core.deleteCollectionNamespacedPersistentVolumeClaim(request, o));
    await vi.waitFor(async () => {
      expect([...(await this.pods()), ...(await this.claims())]).toStrictEqual([]);
    }, WAIT);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { core } = this.connection;
    await this.connection.call('delete', (o) => core.deleteNamespace({ name: this.name }, o));
  }
}

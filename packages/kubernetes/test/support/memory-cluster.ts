import { KubernetesRefusedError } from '@agent-workspace/core';
import type { V1ObjectMeta, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import type { ClusterConnection } from '../../src/cluster/cluster-connection.ts';

interface Named {
  readonly name: string;
}

interface Removal extends Named {
  readonly body?: { readonly preconditions?: { readonly uid?: string | undefined } | undefined } | undefined;
}

/**
 * The Pods and claims of a namespace, in memory: for answers that a real cluster gives too seldom to be waited for. It
 * cannot be watched, so that what is waited for is looked at.
 */
export class MemoryCluster {
  readonly namespace = 'test';
  readonly server = 'http://127.0.0.1:9';
  readonly pods: Kept<V1Pod> = new Kept<V1Pod>('pods');
  readonly claims: Kept<V1PersistentVolumeClaim> = new Kept<V1PersistentVolumeClaim>('persistentvolumeclaims');
  /** What was asked, as it reads after "did not". */
  readonly calls: string[] = [];
  /** Called before each call, which fails with what it throws. */
  beforeCall: (operation: string) => void = () => undefined;
  readonly core = {
    createNamespacedPod: async ({ body }: { readonly body: V1Pod }): Promise<V1Pod> => this.pods.create(body),
    readNamespacedPod: async ({ name }: Named): Promise<V1Pod> => this.pods.read(name),
    listNamespacedPod: async (): Promise<{ readonly items: V1Pod[] }> => ({ items: this.pods.list() }),
    deleteNamespacedPod: async (request: Removal): Promise<void> => this.pods.remove(request),
    createNamespacedPersistentVolumeClaim: async ({
      body,
    }: {
      readonly body: V1PersistentVolumeClaim;
    }): Promise<V1PersistentVolumeClaim> => this.claims.create(body),
    readNamespacedPersistentVolumeClaim: async ({ name }: Named): Promise<V1PersistentVolumeClaim> =>
      this.claims.read(name),
    listNamespacedPersistentVolumeClaim: async (): Promise<{ readonly items: V1PersistentVolumeClaim[] }> => ({
      items: this.claims.list(),
    }),
    deleteNamespacedPersistentVolumeClaim: async (request: Removal): Promise<void> => this.claims.remove(request),
  };

  get connection(): ClusterConnection {
    return this as unknown as ClusterConnection;
  }

  async call<T>(operation: string, request: (options: object) => Promise<T>): Promise<T> {
    this.calls.push(operation);
    this.beforeCall(operation);
    return await request({});
  }

  async connectionOptions(): Promise<never> {
    throw new Error('It cannot be watched.');
  }
}

/** Objects of a kind, by their names. */
class Kept<T extends { metadata?: V1ObjectMeta }> {
  readonly #kind: string;
  readonly #objects = new Map<string, T>();
  #made = 0;

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** @throws `kubernetes-refused` where there is one of its name */
  create(object: T): T {
    const { name = '' } = object.metadata ?? {};
    if (this.#objects.has(name)) throw refusal(409, 'AlreadyExists', `${this.#kind} "${name}" already exists`);
    this.#made += 1;
    const made = structuredClone(object);
    made.metadata = Object.assign(made.metadata ?? {}, { uid: `${this.#kind}-${this.#made}` });
    this.#objects.set(name, made);
    return made;
  }

  /** @throws `kubernetes-refused` where there is none */
  read(name: string): T {
    const found = this.#objects.get(name);
    if (found === undefined) throw refusal(404, 'NotFound', `${this.#kind} "${name}" not found`);
    return found;
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  /** @throws `kubernetes-refused` where there is none, or another one */
  remove({ name, body }: Removal): void {
    const uid = body?.preconditions?.uid;
    if (uid !== undefined && this.read(name).metadata?.uid !== uid)
      throw refusal(409, 'Conflict', 'Precondition failed');
    this.read(name);
    this.#objects.delete(name);
  }

  /** As while something that uses it keeps it from going. */
  beginRemoval(name: string): void {
    const leaving = structuredClone(this.read(name));
    Object.assign(leaving.metadata ?? {}, { deletionTimestamp: new Date() });
    this.#objects.set(name, leaving);
  }
}

/** An answer of the cluster that is no. */
export function refusal(status: number, statusReason: string, reason: string): KubernetesRefusedError {
  return new KubernetesRefusedError({ operation: 'do it', reason, status, statusReason });
}

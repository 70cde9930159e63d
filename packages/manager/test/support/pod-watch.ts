import { makeInformer, type KubernetesListObject, type KubernetesObject } from '@kubernetes/client-node';
import { config, MANAGER_LABEL, type TestNamespace, WORKSPACE_ANNOTATION } from './kubernetes-cluster.ts';

/** Sees each Pod of a manager come and go, as the cluster tells it, whoever makes it. */
export class PodWatch implements AsyncDisposable {
  readonly #stops: (() => Promise<void>)[] = [];
  /** Of each workspace, the Pods that there are, by name: after a silence one of the same name may be told instead of an end. */
  readonly #living = new Map<string, Map<string, string>>();
  /** What was seen of workspaces that had two Pods at a time. */
  readonly doubled: string[] = [];
  /** What the watch itself failed with: it has not seen all. */
  readonly failures: unknown[] = [];
  created = 0;
  most = 0;

  static async start({ name, core }: TestNamespace, managerId: string): Promise<PodWatch> {
    const watch = new PodWatch();
    const labelSelector = `${MANAGER_LABEL}=${managerId}`;
    const query = { namespace: name, labelSelector };
    await watch.#begin(`${name}/pods`, labelSelector, () => core.listNamespacedPod(query), {
      add: (pod) => watch.#addPod(pod),
      delete: (pod) => watch.#living.get(idOf(pod))?.delete(pod.metadata?.name ?? ''),
    });
    return watch;
  }

  /** From where it was told last, also after a silence. */
  async #begin<T extends KubernetesObject>(
    path: string,
    labelSelector: string,
    list: () => Promise<KubernetesListObject<T>>,
    on: Readonly<Record<'add' | 'delete', (object: T) => void>>,
  ): Promise<void> {
    const informer = makeInformer(config(), `/api/v1/namespaces/${path}`, list, labelSelector);
    informer.on('add', on.add);
    informer.on('update', on.add);
    informer.on('delete', on.delete);
    informer.on('error', (error: unknown) => this.failures.push(error));
    this.#stops.push(() => informer.stop());
    await informer.start();
  }

  #addPod(pod: KubernetesObject): void {
    const workspaceId = idOf(pod);
    const { name = '', uid = '' } = pod.metadata ?? {};
    const pods = this.#living.get(workspaceId) ?? new Map<string, string>();
    if (pods.get(name) === uid) return;
    pods.set(name, uid);
    this.#living.set(workspaceId, pods);
    this.created += 1;
    this.most = Math.max(this.most, [...this.#living.values()].filter(({ size }) => size > 0).length);
    if (pods.size > 1) this.doubled.push(`${workspaceId} has the Pods ${[...pods.keys()].join(', ')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) await stop();
  }
}

function idOf({ metadata }: KubernetesObject): string {
  return metadata?.annotations?.[WORKSPACE_ANNOTATION] ?? '';
}

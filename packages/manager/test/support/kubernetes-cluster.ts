import { readFile } from 'node:fs/promises';
import { requireEngine, TEST_KUBECONFIG } from '@agent-workspace/testing';
import {
  ApiException,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  RbacAuthorizationV1Api,
  type V1Lease,
  type V1PersistentVolumeClaim,
  type V1Pod,
} from '@kubernetes/client-node';

/** Whether the tests on Kubernetes can run. */
export const hasCluster: boolean = await requireEngine('kubernetes', async () => {
  await readFile(TEST_KUBECONFIG);
  await config().makeApiClient(CoreV1Api).listNamespace({ limit: 1 });
});

/** Of the cluster's own client, for what a person would do by hand. */
export function config(): KubeConfig {
  const loaded = new KubeConfig();
  loaded.loadFromFile(TEST_KUBECONFIG);
  return loaded;
}

/** The text of a kubeconfig for a server that is asked by nobody in particular, or by the bearer of a token. */
export function kubeconfigOf(cluster: {
  readonly server: string;
  readonly caData?: string | undefined;
  readonly token?: string | undefined;
}): string {
  const { server, caData, token } = cluster;
  const made = {
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': caData } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  return JSON.stringify(made, undefined, 2);
}

export const MANAGER_LABEL = 'agent-workspace.dev/manager-id';
/** Whatever characters it has. */
export const WORKSPACE_ANNOTATION = 'agent-workspace.dev/workspace-id';

export interface FoundObjects {
  readonly pods: readonly V1Pod[];
  readonly claims: readonly V1PersistentVolumeClaim[];
}

/** A Lease object of a storage, as anyone sees it. */
export interface SeenLease {
  readonly name: string;
  readonly kind: string;
  readonly holder: string | undefined;
  readonly record: Readonly<Record<string, unknown>>;
  readonly object: V1Lease;
}

export interface AccessRule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
}

/** A namespace for one file of tests, deleted at its end with all that is in it. */
export class TestNamespace implements AsyncDisposable {
  readonly name: string;
  readonly connection: { readonly kubeconfig: string; readonly namespace: string };
  readonly core: CoreV1Api = config().makeApiClient(CoreV1Api);
  readonly #coordination = config().makeApiClient(CoordinationV1Api);
  readonly #made: (string | undefined)[] = [];
  readonly #authorization = config().makeApiClient(RbacAuthorizationV1Api);

  private constructor(name: string) {
    this.name = name;
    this.connection = { kubeconfig: TEST_KUBECONFIG, namespace: name };
  }

  static async create(purpose: string): Promise<TestNamespace> {
    const namespace = new TestNamespace(`aw-test-${purpose}-${process.pid}-${Date.now().toString(36)}`);
    await namespace.core.createNamespace({ body: { metadata: { name: namespace.name } } });
    return namespace;
  }

  /** Those of a service, in the order of their kinds and ids. */
  async leases(service: string, kind?: string): Promise<readonly SeenLease[]> {
    const labels = [`agent-workspace.dev/service=${service}`];
    if (kind !== undefined) labels.push(`agent-workspace.dev/record-kind=${kind}`);
    const { items } = await this.#coordination.listNamespacedLease({
      namespace: this.name,
      labelSelector: labels.join(','),
    });
    const order = ({ kind: of, record }: SeenLease): string => `${of} ${String(record['id'])}`;
    return items.map(seenLease).toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** Makes an object again that was deleted. */
  async restore(seen: SeenLease | undefined): Promise<void> {
    const { name, labels, annotations } = seen?.object.metadata ?? {};
    const metadata = { name, labels, annotations } as NonNullable<V1Lease['metadata']>;
    await this.#coordination.createNamespacedLease({ namespace: this.name, body: { metadata } });
  }

  /** A kubeconfig by which nothing may be done but this, in this namespace. */
  async restrictedTo(rules: AccessRule[]): Promise<string> {
    const namespace = this.name;
    const name = 'restricted';
    await this.core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
    await this.#authorization.createNamespacedRole({ namespace, body: { metadata: { name }, rules } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
    const subjects = [{ kind: 'ServiceAccount', name, namespace }];
    await this.#authorization.createNamespacedRoleBinding({
      namespace,
      body: { metadata: { name }, roleRef, subjects },
    });
    const { status } = await this.core.createNamespacedServiceAccountToken({
      namespace,
      name,
      body: { spec: { audiences: [], expirationSeconds: 3_600 } },
    });
    const { server = '', caData } = config().getCurrentCluster() ?? {};
    return kubeconfigOf({ server, caData, token: status?.token });
  }

  /** What there is of a workspace, or of all of a manager, found as anyone finds it. */
  async find(owner: {
    readonly managerId?: string | undefined;
    readonly workspaceId?: string | undefined;
  }): Promise<FoundObjects> {
    const { name: namespace } = this;
    const { managerId, workspaceId } = owner;
    const labelSelector = managerId === undefined ? MANAGER_LABEL : `${MANAGER_LABEL}=${managerId}`;
    const [pods, claims] = await Promise.all([
      this.core.listNamespacedPod({ namespace, labelSelector }),
      this.core.listNamespacedPersistentVolumeClaim({ namespace, labelSelector }),
    ]);
    const isIt = ({ metadata }: V1Pod | V1PersistentVolumeClaim): boolean =>
      workspaceId === undefined || metadata?.annotations?.[WORKSPACE_ANNOTATION] === workspaceId;
    return { pods: pods.items.filter(isIt), claims: claims.items.filter(isIt) };
  }

  /** `kubectl delete --grace-period=1`, by hand. */
  async remove({ pods, claims }: FoundObjects): Promise<void> {
    const { name: namespace } = this;
    const removals = [
      ...pods.map(({ metadata: { name = '' } = {} }) =>
        this.core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 1 }),
      ),
      ...claims.map(({ metadata: { name = '' } = {} }) =>
        this.core.deleteNamespacedPersistentVolumeClaim({ name, namespace }),
      ),
    ];
    // Somebody else may have been quicker.
    for (const end of await Promise.allSettled(removals)) {
      if (end.status === 'rejected' && !isGone(end.reason)) throw end.reason;
    }
  }

  /** Makes a Pod by hand, of nobody in particular. */
  async createPod(labels: Record<string, string>): Promise<void> {
    const { metadata } = await this.core.createNamespacedPod({
      namespace: this.name,
      body: {
        metadata: { generateName: 'by-hand-', labels },
        spec: { containers: [{ name: 'c', image: 'node:24-slim', command: ['sleep', '600'] }] },
      },
    });
    this.#made.push(metadata?.uid);
  }

  /** Those that are there still. */
  async createdPods(): Promise<readonly V1Pod[]> {
    const { items } = await this.core.listNamespacedPod({ namespace: this.name });
    return items.filter(({ metadata }) => this.#made.includes(metadata?.uid));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.core.deleteNamespace({ name: this.name });
  }
}

function seenLease(object: V1Lease): SeenLease {
  const { name = '', labels = {}, annotations = {} } = object.metadata ?? {};
  return {
    name,
    kind: labels['agent-workspace.dev/record-kind'] ?? '',
    holder: object.spec?.holderIdentity,
    record: JSON.parse(annotations['agent-workspace.dev/record'] ?? '{}') as Record<string, unknown>,
    object,
  };
}

function isGone(error: unknown): boolean {
  return error instanceof ApiException && error.code === 404;
}

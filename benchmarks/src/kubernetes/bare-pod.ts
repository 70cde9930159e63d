import { randomUUID } from 'node:crypto';
import { type V1Pod, type V1Volume, Watch } from '@kubernetes/client-node';
import { type BenchNamespace, IMAGE, RESOURCES } from './bench-cluster.ts';

/** A Pod as its maker has it who needs no more than that. */
export interface BarePod {
  readonly name: string;
  readonly container: string;
  remove(): Promise<void>;
}

const CONTAINER = 'bare';
/** Ends at a signal, as a workspace's does. */
const WAIT = 'trap "exit 0" TERM; while :; do sleep 1 & wait; done';

/**
 * Creates a Pod with a workspace's image and restrictions, and waits by a watch until it is ready.
 *
 * @param hasClaim gives it a claim of its own, as a workspace has
 */
export async function startBarePod(
  namespace: BenchNamespace,
  { hasClaim = false }: { readonly hasClaim?: boolean | undefined } = {},
): Promise<BarePod> {
  const { core, name: of } = namespace;
  const name = `bare-${randomUUID()}`;
  if (hasClaim) {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await core.createNamespacedPersistentVolumeClaim({ namespace: of, body: { metadata: { name }, spec } });
  }
  const { ready } = await watchPod(namespace, name);
  await core.createNamespacedPod({ namespace: of, body: podCalled(name, hasClaim) });
  await ready;
  return {
    name,
    container: CONTAINER,
    remove: async () => {
      await core.deleteNamespacedPod({ name, namespace: of, gracePeriodSeconds: 1 });
    },
  };
}

function podCalled(name: string, hasClaim: boolean): V1Pod {
  const volumes: V1Volume[] = hasClaim ? [{ name: 'claim', persistentVolumeClaim: { claimName: name } }] : [];
  return {
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: CONTAINER,
          image: IMAGE,
          resources: RESOURCES,
          command: ['sh', '-c', WAIT],
          volumeMounts: volumes.map((volume) => ({ name: volume.name, mountPath: '/workspace' })),
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
      volumes,
    },
  };
}

/** Resolves once it watches. */
async function watchPod(
  { config, name: of }: BenchNamespace,
  name: string,
): Promise<{ readonly ready: Promise<void> }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const path = `/api/v1/namespaces/${of}/pods`;
  const onEvent = (_type: string, { status }: V1Pod): void => {
    if (status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true) resolve();
  };
  const watching = await new Watch(config).watch(path, { fieldSelector: `metadata.name=${name}` }, onEvent, (error) =>
    reject(error instanceof Error ? error : new Error(`The watch of ${name} ended.`)),
  );
  return { ready: promise.finally(() => watching.abort()) };
}

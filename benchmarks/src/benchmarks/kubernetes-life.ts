import { randomUUID } from 'node:crypto';
import { KubernetesWorkspaceManager } from '@agent-workspace/manager/kubernetes';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { openKubernetesWorkspace } from '../contenders/kubernetes-workspace.ts';
import { type BarePod, startBarePod } from '../kubernetes/bare-pod.ts';
import {
  type BenchNamespace,
  IMAGE,
  KUBECONFIG,
  loadWorkspaceImage,
  missingCluster,
  openNamespace,
  RESOURCES,
} from '../kubernetes/bench-cluster.ts';
import { missingDocker } from '../docker/docker-bench.ts';
import type { Subject } from '../measure.ts';

const BARE = 'bare Pod';
const CALLS = 10;
const WARM_UP_CALLS = 1;

/** @param hasClaim with a claim of its own, new each time, as a workspace's */
function bare(namespace: BenchNamespace, name: string, hasClaim: boolean): Subject {
  let pod: BarePod | undefined;
  return {
    name,
    call: async () => {
      pod = await startBarePod(namespace, { hasClaim });
    },
    finish: async () => pod?.remove(),
  };
}

function initializeBenchmark(
  name: string,
  { image, ...others }: Pick<Benchmark, 'missing'> & { readonly image: () => Promise<string> },
): Benchmark {
  return {
    ...others,
    name,
    async run() {
      const named = await image();
      await using namespace = await openNamespace();
      let close = async (): Promise<void> => undefined;
      const ours: Subject = {
        name: 'ours',
        call: async () => {
          const { workspace } = await openKubernetesWorkspace(namespace, { image: named });
          close = () => workspace.close();
        },
        finish: () => close(),
      };
      return await compare({
        name,
        subjects: [ours, bare(namespace, BARE, false), bare(namespace, 'Pod and claim', true)],
        bars: { [BARE]: { bar: 1.5 } },
        calls: CALLS,
        warmUpCalls: WARM_UP_CALLS,
      });
    },
  };
}

/** `KubernetesWorkspace.open()` of a new workspace, up to what it can be used for; the gateway is put into its Pod. */
export const kubernetesInitialize: Benchmark = initializeBenchmark('kubernetes-initialize', {
  missing: missingCluster,
  image: async () => await Promise.resolve(IMAGE),
});

/** The same with the gateway in the image. */
export const kubernetesInitializeBuilt: Benchmark = initializeBenchmark('kubernetes-built-initialize', {
  missing: async () => (await missingCluster()) ?? (await missingDocker()),
  image: loadWorkspaceImage,
});

/** The first `getWorkspace()` of a session, with a Pod that waits for it. */
export const kubernetesPrewarmed: Benchmark = {
  name: 'kubernetes-prewarmed',
  missing: missingCluster,
  async run() {
    await using namespace = await openNamespace();
    let prewarmed = Promise.withResolvers<void>();
    await using manager = await KubernetesWorkspaceManager.open({
      kubeconfig: KUBECONFIG,
      namespace: namespace.name,
      image: IMAGE,
      resources: RESOURCES,
      isolation: 'per-session',
      prewarm: { size: 1, maxCreating: 1 },
      onEvent: ({ type }) => {
        if (type === 'workspace-prewarmed') prewarmed.resolve();
      },
    });
    let workspaceId = '';
    const ours: Subject = {
      name: 'ours',
      prepare: async () => {
        await prewarmed.promise;
        prewarmed = Promise.withResolvers<void>();
      },
      call: async () => {
        const key = { userId: 'user', agentId: 'agent', sessionId: randomUUID() };
        ({ workspaceId } = await manager.getWorkspace(key));
      },
      finish: () => manager.destroy(workspaceId),
    };
    return await compare({
      name: 'kubernetes-prewarmed',
      subjects: [ours, bare(namespace, BARE, false)],
      bars: { [BARE]: { bar: 1.5 } },
      calls: CALLS,
      warmUpCalls: WARM_UP_CALLS,
    });
  },
};

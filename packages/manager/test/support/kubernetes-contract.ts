import type { KubernetesWorkspace } from '@agent-workspace/kubernetes';
import type { ManagerContractOptions } from '@agent-workspace/testing';
import { expect } from 'vitest';
import { KubernetesWorkspaceManager } from '../../src/kubernetes/index.ts';
import { engineContract } from './engine-contract.ts';
import { killGateway } from './kill-gateway.ts';
import type { TestNamespace } from './kubernetes-cluster.ts';
import { POD } from './kubernetes-pod.ts';

/** Each round ends a Pod and starts one. */
const RACES = 10;

/** How the manager contract makes managers of Kubernetes, each place marked by its name in the cluster. */
export function kubernetesContract(namespaceOf: () => TestNamespace): ManagerContractOptions {
  return engineContract<KubernetesWorkspace>({
    // What they agree by is the cluster.
    hasOwnStorage: true,
    races: RACES,
    makeManager: (place, { isVolatile, ...settings }) =>
      new KubernetesWorkspaceManager({
        ...settings,
        ...namespaceOf().connection,
        managerId: place,
        ...POD,
        deleteVolumeOnClose: isVolatile,
      }),
    cleanUp: async (place) => {
      const namespace = namespaceOf();
      const left = await namespace.find({ managerId: place });
      await namespace.remove(left);
      expect(left.pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined)).toEqual([]);
    },
    kill: async (workspace) => {
      // A Pod that somebody removes is made again; with its claim, there is nothing to make it from.
      if (workspace.isPersistent) await killGateway(workspace, '/run/agent-workspace/own/gateway.pid');
      else await namespaceOf().remove(await namespaceOf().find({ workspaceId: workspace.workspaceId }));
    },
    hasData: async (place, workspaceId) => {
      const { pods, claims } = await namespaceOf().find({ managerId: place, workspaceId });
      // What is being deleted cannot be kept any more; the cluster takes its time until it is gone.
      return [...pods, ...claims].some(({ metadata }) => metadata?.deletionTimestamp === undefined);
    },
  });
}

import { KubernetesWorkspaceManager } from '@agent-workspace/manager/kubernetes';
import { buildGateway } from './build-gateway.ts';
import type { OpenManager } from './place.ts';

/** What a Pod is promised; above it, memory is shared by those that need it. */
const REQUESTED_BYTES = 256 * 1024 ** 2;

/** Pods of a cluster, each with a claim that its data are in. */
export const openKubernetes: OpenManager = async ({ sandbox, cluster, basedir: _basedir, ...options }) => {
  await buildGateway();
  const { memoryBytes } = sandbox;
  // A limit alone would be asked for in full.
  const requests = { memory: String(Math.min(memoryBytes, REQUESTED_BYTES)) };
  const resources = { requests, limits: { memory: String(memoryBytes) } };
  return await KubernetesWorkspaceManager.open({ ...options, ...cluster, resources });
};

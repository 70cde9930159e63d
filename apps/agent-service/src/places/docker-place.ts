import { DockerWorkspaceManager } from '@agent-workspace/manager/docker';
import { buildGateway } from './build-gateway.ts';
import type { OpenManager } from './place.ts';

/** Containers, each on a directory of this machine. */
export const openDocker: OpenManager = async ({ sandbox, cluster: _cluster, ...options }) => {
  await buildGateway();
  const { network, memoryBytes } = sandbox;
  return await DockerWorkspaceManager.open({ ...options, network, limits: { memoryBytes } });
};

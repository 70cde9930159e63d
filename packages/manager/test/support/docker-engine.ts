import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { requireEngine } from '@agent-workspace/testing';
import Docker from 'dockerode';

export const MANAGER_LABEL = 'agent-workspace.manager-id';
export const WORKSPACE_LABEL = 'agent-workspace.workspace-id';

/** The engine's own client, for what a person would do by hand. */
export const docker: Docker = new Docker();

/** Whether the tests on Docker can run: with an engine, and the images that they stand on. */
export const hasDocker: boolean = await requireEngine('docker', async () => {
  for (const image of ['python:3.12-slim', 'node:24-slim']) {
    await docker.getImage(image).inspect();
  }
});

/** The containers of a workspace, or of all of a manager, found as anyone finds them. */
export async function containersOf(owner: {
  readonly managerId?: string | undefined;
  readonly workspaceId?: string | undefined;
}): Promise<readonly Docker.ContainerInfo[]> {
  const { managerId, workspaceId } = owner;
  const label = [
    ...(managerId === undefined ? [] : [`${MANAGER_LABEL}=${managerId}`]),
    ...(workspaceId === undefined ? [] : [`${WORKSPACE_LABEL}=${workspaceId}`]),
  ];
  return await docker.listContainers({ all: true, filters: { label } });
}

/** `docker rm -f`, by hand, and what that leaves of its sockets. */
export async function removeByHand(owner: Parameters<typeof containersOf>[0]): Promise<void> {
  for (const { Id, Mounts } of await containersOf(owner)) {
    await docker.getContainer(Id).remove({ force: true, v: true });
    const sockets = Mounts.map(({ Source }) => Source).filter((path) => basename(path).startsWith('aw-socket-'));
    for (const path of sockets) await rm(path, { recursive: true, force: true });
  }
}

export async function volumesOf(managerId: string): Promise<readonly string[]> {
  const { Volumes } = await docker.listVolumes({ filters: { label: [`${MANAGER_LABEL}=${managerId}`] } });
  return (Volumes ?? []).map(({ Name }) => Name);
}

export async function networksOf(managerId: string): Promise<readonly string[]> {
  const networks = await docker.listNetworks({ filters: { label: [`${MANAGER_LABEL}=${managerId}`] } });
  return networks.map(({ Name }) => Name);
}

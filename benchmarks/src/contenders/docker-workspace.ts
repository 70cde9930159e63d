import { join } from 'node:path';
import { DockerWorkspace, type DockerWorkspaceOptions } from '@agent-workspace/docker';
import { MANAGER_ID, workspaceImage } from '../docker/docker-bench.ts';
import { interruption } from '../interruption.ts';
import type { Contender, OpenContender } from './contender.ts';

export interface DockerWorkspaceContender extends Contender {
  readonly workspace: DockerWorkspace;
  /** Where the container's `/workspace` is on this host. */
  readonly hostDirectory: string;
}

/** A workspace in a container, its files in a directory of this host. */
export async function openDockerWorkspace(
  root: string,
  { name = 'ours', ...options }: DockerWorkspaceOptions & { readonly name?: string | undefined } = {},
): Promise<DockerWorkspaceContender> {
  await workspaceImage();
  const workdir = join(root, 'workspace');
  const workspace = await DockerWorkspace.open({ workdir, managerId: MANAGER_ID, signal: interruption, ...options });
  const { backend } = workspace;
  const pathOf = (path: string): string => `${backend.workdir}/${path}`;
  return {
    name,
    workspace,
    hostDirectory: workdir,
    async execTrue() {
      const { end } = await backend.exec(['true']);
      if (end.kind !== 'exited' || end.exitCode !== 0) throw new Error(`true ended in ${JSON.stringify(end)}.`);
    },
    async readFile(path) {
      return (await backend.readFile(pathOf(path))).bytes.length;
    },
    async writeFile(path, content) {
      await backend.writeFile(pathOf(path), content);
    },
    async [Symbol.asyncDispose]() {
      await workspace.close();
    },
  };
}

export const openOursInDocker: OpenContender = (root) => openDockerWorkspace(root);

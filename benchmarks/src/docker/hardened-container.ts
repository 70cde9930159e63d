import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { LABELS, workspaceImage } from './docker-bench.ts';

/** Where the directories of {@link hardenedContainer} are in it. */
export const WORKDIR = '/workspace';
export const SOCKET_DIRECTORY = '/run/agent-workspace';

const UNPRIVILEGED = 1000;

/**
 * A container as a workspace's is: its image, user, mounts and restrictions, and another command.
 *
 * @param root a directory of the host's, where those that are mounted are made
 */
export async function hardenedContainer(root: string, command: readonly string[]): Promise<ContainerCreateOptions> {
  const own = [process.getuid?.() ?? UNPRIVILEGED, process.getgid?.() ?? UNPRIVILEGED] as const;
  const [uid, gid] = own[0] === 0 ? [UNPRIVILEGED, UNPRIVILEGED] : own;
  const mounts = [
    { Source: join(root, 'workdir'), Target: WORKDIR },
    { Source: join(root, 'socket'), Target: SOCKET_DIRECTORY },
  ];
  for (const { Source } of mounts) {
    await mkdir(Source, { recursive: true });
    if (own[0] === 0) await chown(Source, uid, gid);
  }
  return {
    Image: await workspaceImage(),
    User: `${uid}:${gid}`,
    WorkingDir: WORKDIR,
    Cmd: [...command],
    Labels: { ...LABELS },
    HostConfig: {
      Init: true,
      NetworkMode: 'bridge',
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 1024,
      Mounts: mounts.map((mount) => ({ Type: 'bind', ...mount })),
    },
  };
}

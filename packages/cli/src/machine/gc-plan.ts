import type { WorkspaceContainer, WorkspaceImage } from '@agent-workspace/docker';
import type { WorkspacePod } from '@agent-workspace/kubernetes';
import type { SocketDirectory } from './socket-directories.ts';

/** What is there. */
export interface MachineSurvey {
  readonly containers: readonly WorkspaceContainer[];
  readonly images: readonly WorkspaceImage[];
  readonly socketDirectories: readonly SocketDirectory[];
}

export interface GcRules {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What is younger stays, since it may be about to be used. Milliseconds. */
  readonly olderThanMs: number;
  /** Of containers and Pods, only this manager's. Default: everybody's. */
  readonly managerId?: string | undefined;
  /** Also containers that have the only copy of their files. */
  readonly takesData: boolean;
}

/** What goes, and what stays although it looks like rubbish. */
export interface GcPlan {
  readonly containers: readonly WorkspaceContainer[];
  readonly images: readonly WorkspaceImage[];
  readonly socketDirectories: readonly SocketDirectory[];
  readonly kept: readonly { readonly what: string; readonly why: string }[];
}

/** A workspace that is open keeps its container running, and one that was closed has removed it. */
const ENDED: ReadonlySet<string> = new Set(['exited', 'dead', 'created']);

/**
 * What nobody needs any more: containers that have ended without being removed, whose host has died;
 * images that no container uses; directories for sockets that no container has mounted.
 */
export function planGc({ containers, images, socketDirectories }: MachineSurvey, rules: GcRules): GcPlan {
  const { now, olderThanMs, managerId, takesData } = rules;
  const isOld = ({ createdAt }: { readonly createdAt: number }): boolean => now - createdAt >= olderThanMs;
  const ended = containers.filter(
    (container) =>
      ENDED.has(container.state) && isOld(container) && (managerId === undefined || container.managerId === managerId),
  );
  // A helper has no files of its own.
  const hasOnlyCopy = (container: WorkspaceContainer): boolean =>
    container.workspaceId !== undefined && !container.isPersistent && !takesData;
  const mounted = new Set(containers.flatMap(({ mountSources }) => mountSources));
  return {
    containers: ended.filter((container) => !hasOnlyCopy(container)),
    images: images.filter((image) => !image.isUsed && isOld(image)),
    socketDirectories: socketDirectories.filter((directory) => isOld(directory) && !mounted.has(directory.path)),
    kept: ended.filter(hasOnlyCopy).map(({ id, workspaceId = '' }) => ({
      what: `container ${id.slice(0, 12)} of the workspace ${workspaceId}`,
      why: 'its files are nowhere else; --with-data removes it, too',
    })),
  };
}

/** Pods that have ended without being removed. Their files are in claims, which stay. */
export function planPodGc(
  workspaces: readonly WorkspacePod[],
  { now, olderThanMs, managerId }: GcRules,
): readonly WorkspacePod[] {
  return workspaces.filter(
    ({ state, createdAt, managerId: owner }) =>
      state === 'ended' && now - createdAt >= olderThanMs && (managerId === undefined || owner === managerId),
  );
}

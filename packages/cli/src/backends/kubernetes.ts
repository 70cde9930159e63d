import { needPackage } from '../machine/engine-package.ts';
import { UsageError } from '../usage-error.ts';
import type { BackendOptions, WorkspaceBackend } from './backend.ts';
import { idOfPlace } from './id-of-place.ts';

/** Where every Pod has its claim. */
const WORKDIR_INSIDE = '/workspace';

/** @throws UsageError for a directory of this machine, which a Pod does not see, or without its package */
export function kubernetesBackend(options: BackendOptions): WorkspaceBackend {
  needPackage('kubernetes');
  const { workdir, directory, env, logger, workspace, kubernetes } = options;
  if (workdir !== undefined && workdir !== WORKDIR_INSIDE) {
    throw new UsageError(
      `--workdir is ${WORKDIR_INSIDE} with --backend kubernetes; files of this machine are not in the Pod.`,
    );
  }
  const workspaceId = options.workspaceId ?? idOfPlace(directory);
  return {
    place: { kind: 'kubernetes', workdir: WORKDIR_INSIDE },
    open: async ({ signal, onEvent }) => {
      const { KubernetesWorkspace } = await import('@agent-workspace/kubernetes');
      return await KubernetesWorkspace.open({ ...workspace, ...kubernetes, workspaceId, env, logger, signal, onEvent });
    },
  };
}

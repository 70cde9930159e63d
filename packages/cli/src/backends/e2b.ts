import { needPackage } from '../machine/engine-package.ts';
import { UsageError } from '../usage-error.ts';
import type { BackendOptions, WorkspaceBackend } from './backend.ts';
import { idOfPlace } from './id-of-place.ts';

const DEFAULT_WORKDIR = '/home/user/workspace';

/** @throws UsageError for a directory of this machine, which a sandbox elsewhere does not see, or without its package */
export function e2bBackend(options: BackendOptions): WorkspaceBackend {
  needPackage('e2b');
  const { workdir = DEFAULT_WORKDIR, env, logger, workspace, e2b } = options;
  if (!workdir.startsWith('/')) {
    throw new UsageError(
      `--workdir is a directory of the sandbox with --backend e2b, such as ${DEFAULT_WORKDIR}; files of this machine are not in it.`,
    );
  }
  const workspaceId = options.workspaceId ?? idOfPlace(options.directory);
  return {
    place: { kind: 'e2b', workdir },
    open: async ({ signal, onEvent }) => {
      const { E2BWorkspace } = await import('@agent-workspace/e2b');
      return await E2BWorkspace.open({ ...workspace, ...e2b, workdir, workspaceId, env, logger, signal, onEvent });
    },
  };
}

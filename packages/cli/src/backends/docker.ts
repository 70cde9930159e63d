import { resolve } from 'node:path';
import type { WorkspaceEvent } from '@agent-workspace/core';
import { needPackage } from '../machine/engine-package.ts';
import type { BackendOptions, WorkspaceBackend } from './backend.ts';

/** Where every container has the directory. */
const WORKDIR_INSIDE = '/workspace';

/** @throws UsageError where the package of the engine is not installed */
export function dockerBackend(options: BackendOptions): WorkspaceBackend {
  needPackage('docker');
  const { directory, env, logger, workspaceId, workspace, docker } = options;
  const workdir = resolve(directory, options.workdir ?? '.');
  return {
    place: { kind: 'docker', workdir: WORKDIR_INSIDE },
    open: async ({ signal, onEvent: tell }) => {
      const { DockerWorkspace } = await import('@agent-workspace/docker');
      const onEvent = (event: WorkspaceEvent): void => {
        if (event.type === 'build-progressed') logger.info(event.message);
        tell(event);
      };
      return await DockerWorkspace.open({
        ...workspace,
        ...docker,
        workdir,
        workspaceId,
        env,
        logger,
        signal,
        onEvent,
      });
    },
  };
}

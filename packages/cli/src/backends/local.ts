import { resolve } from 'node:path';
import type { BackendOptions, WorkspaceBackend } from './backend.ts';

export function localBackend(options: BackendOptions): WorkspaceBackend {
  const { directory, env, logger, workspaceId, workspace } = options;
  const workdir = resolve(directory, options.workdir ?? '.');
  return {
    place: { kind: 'local', workdir },
    open: async ({ signal, onEvent }) => {
      const { LocalWorkspace } = await import('@agent-workspace/local');
      return await LocalWorkspace.open({ ...workspace, workdir, workspaceId, env, logger, signal, onEvent });
    },
  };
}

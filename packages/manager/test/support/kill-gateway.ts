import type { Workspace } from '@agent-workspace/core';

/** Kills the gateway of a workspace, which is started again each time, until it is given up. */
export async function killGateway(workspace: Workspace, pidFile: string): Promise<void> {
  while (workspace.isAlive) {
    // That is how the command ends, too.
    await workspace.backend.exec(['sh', '-c', `kill -KILL $(cat ${pidFile})`]).catch(() => undefined);
  }
}

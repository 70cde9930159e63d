import { createHash } from 'node:crypto';
import type { WorkspaceKey } from '@agent-workspace/core';
import { LocalWorkspaceManager } from '@agent-workspace/manager/local';

/** Agents named `team/agent` share the workspace of their team; any other agent has its own. */
export class TeamWorkspaceManager extends LocalWorkspaceManager {
  override assignWorkspaceId(key: WorkspaceKey): string | Promise<string> {
    const [team = '', agent] = key.agentId.split('/', 2);
    if (team === '' || agent === undefined) return super.assignWorkspaceId(key);
    // As JSON, in which no two lists of names look alike, and with the user: teams of two tenants never meet.
    const owner = JSON.stringify(['team', key.userId, team]);
    return createHash('sha256').update(owner).digest('hex').slice(0, 32);
  }
}

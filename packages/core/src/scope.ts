/** Whose view of a workspace: an agent's, one of its sessions', or (empty) the workspace's own. */
export interface Scope {
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** The scope of the workspace itself. */
export const UNSCOPED: Scope = {};

/** A key for maps. */
export function scopeKey(scope: Scope): string {
  return JSON.stringify([scope.agentId ?? '', scope.sessionId ?? '']);
}

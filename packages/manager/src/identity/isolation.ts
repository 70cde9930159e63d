import { hash, randomUUID } from 'node:crypto';
import type { WorkspaceKey } from '@agent-workspace/core';

/** Who shares a workspace: nobody, the sessions of a user's agent, or all that a user has. */
export type Isolation = 'per-session' | 'per-agent' | 'per-user';

/** 128 bits, in hexadecimal digits: two tenants do not meet by chance. */
const ID_DIGITS = 32;

/** What of a key tells one workspace from another. Unambiguous, whatever characters the ids have. */
export function bindingOf(isolation: Isolation, { userId, agentId, sessionId }: WorkspaceKey): string {
  switch (isolation) {
    case 'per-session':
      return JSON.stringify(['session', userId, agentId, sessionId]);
    case 'per-agent':
      return JSON.stringify(['agent', userId, agentId]);
    case 'per-user':
      return JSON.stringify(['user', userId]);
  }
}

/** The id of a workspace that is not there yet: derived, so that it is found again without any memory, or a new one. */
export function firstWorkspaceId(isolation: Isolation, binding: string): string {
  if (isolation === 'per-session') return randomUUID();
  return hash('sha256', binding, 'hex').slice(0, ID_DIGITS);
}

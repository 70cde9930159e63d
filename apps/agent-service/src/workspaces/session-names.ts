import type { Isolation } from '@agent-workspace/manager';

interface Names {
  readonly agentId: string;
  readonly sessionId: string;
}

/**
 * What a session is called in its workspace. Where agents share one, two of them may have sessions of the same
 * id, whose files must not meet: there the agent's id is part of the name.
 */
export interface SessionNames {
  inWorkspace(names: Names): string;
  ofService(inWorkspace: string): string;
}

export function sessionNames(isolation: Isolation): SessionNames {
  if (isolation !== 'per-user') return { inWorkspace: ({ sessionId }) => sessionId, ofService: (name) => name };
  return {
    inWorkspace: ({ agentId, sessionId }) => JSON.stringify([agentId, sessionId]),
    ofService: (name) => (JSON.parse(name) as readonly [string, string])[1],
  };
}

import type { WorkspaceSession } from '@agent-workspace/core';
import { ServiceError } from '../http/service-error.ts';

/** The one tool whose calls are commands. */
const SHELL = 'Bash';

const safe = new WeakMap<WorkspaceSession, WorkspaceSession>();

/**
 * A session whose agent and user run nothing on this machine: for workspaces that are directories of
 * it, where a shell and MCP servers would be code of a tenant in the service's own account. Servers
 * are not even listed, whatever `.mcp` says, since listing their tools would start them.
 *
 * The same object each time, so that turns of a session share what is kept for it.
 */
export function hostSafe(session: WorkspaceSession): WorkspaceSession {
  const existing = safe.get(session);
  if (existing !== undefined) return existing;
  const refuse = async (): Promise<never> => await Promise.reject(noHostCode('MCP servers'));
  const made: WorkspaceSession = {
    scope: session.scope,
    get workdir() {
      return session.workdir;
    },
    get backend() {
      return session.backend;
    },
    hold: () => session.hold(),
    listTools: async () => (await session.listTools()).filter(({ name }) => name !== SHELL),
    listMcps: async () => await Promise.resolve([]),
    addMcp: refuse,
    removeMcp: refuse,
    listSkills: () => session.listSkills(),
    addSkill: (source) => session.addSkill(source),
    removeSkill: (name) => session.removeSkill(name),
    readContext: (sessionId) => session.readContext(sessionId),
    getInstructions: () => session.getInstructions(),
    offloadContext: (sessionId, messages) => session.offloadContext(sessionId, messages),
    offloadToolResult: (sessionId, result) => session.offloadToolResult(sessionId, result),
    offloadDataBlock: (block) => session.offloadDataBlock(block),
  };
  safe.set(session, made);
  return made;
}

export function noHostCode(what: string): ServiceError {
  const reason = `${what} would run on the service's own machine, which has several tenants.`;
  const remedy = 'Start the service with --backend docker, or with --single-tenant if it is yours alone.';
  return new ServiceError('feature-disabled', `${reason} ${remedy}`);
}

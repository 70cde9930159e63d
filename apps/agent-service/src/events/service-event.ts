import { type Scope, WorkspaceError, type WorkspaceEvent } from '@agent-workspace/core';
import type { ManagerEvent } from '@agent-workspace/manager';
import type { TurnOutcome } from '../chat/turn.ts';
import { mcpHealth } from '../workspaces/mcp-health.ts';
import type { SessionNames } from '../workspaces/session-names.ts';

interface About {
  /** ISO 8601. */
  readonly at: string;
  readonly workspaceId: string;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** What the service itself does on behalf of a tenant. */
export type ApiEvent =
  | { readonly type: 'chat-started' }
  | { readonly type: 'chat-ended'; readonly outcome: TurnOutcome; readonly durationMs: number }
  | { readonly type: 'session-deleted' | 'skills-changed' | 'mcps-changed' }
  | { readonly type: 'files-changed'; readonly path: string };

/** An event as clients get it: JSON, and about one tenant's things alone. */
export type ServiceEvent = About & { readonly type: string; readonly [field: string]: unknown };

/** Output of a call is shown as it comes, but not all of it: the result has that. */
const MOST_OUTPUT_BYTES = 4_096;

export function fromManager(event: ManagerEvent & { readonly workspaceId: string }): ServiceEvent {
  const at = now();
  const { type, workspaceId } = event;
  const durationMs = Math.round(event.durationMs);
  if (event.type === 'workspace-evicted') return { type, at, workspaceId, reason: event.reason, durationMs };
  if (event.type !== 'workspace-failed') return { type, at, workspaceId, durationMs };
  const { operation, error } = event;
  const told = WorkspaceError.isInstance(error)
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'The log of the service says why.' };
  return { type, at, workspaceId, operation, durationMs, ...told };
}

export function fromWorkspace(event: WorkspaceEvent, workspaceId: string, names: SessionNames): ServiceEvent {
  const idsOf = (scope: Scope): Pick<About, 'agentId' | 'sessionId'> => scopeIds(scope, names);
  const about = { at: now(), workspaceId };
  switch (event.type) {
    case 'tool-output': {
      const { bytes, scope, ...rest } = event;
      const text = new TextDecoder().decode(bytes.subarray(0, MOST_OUTPUT_BYTES));
      return { ...about, ...idsOf(scope), ...rest, text, isCut: bytes.byteLength > MOST_OUTPUT_BYTES };
    }
    case 'mcp-state-changed':
      return { ...about, ...idsOf(event.scope), type: event.type, name: event.name, state: mcpHealth(event.state) };
    case 'tool-started':
    case 'tool-ended':
    case 'mcp-evicted': {
      const { scope, ...rest } = event;
      return { ...about, ...idsOf(scope), ...rest };
    }
    case 'context-offloaded':
    case 'tool-result-offloaded':
      return { ...about, ...event, sessionId: names.ofService(event.sessionId) };
    default:
      return { ...about, ...event };
  }
}

export function fromApi(
  event: ApiEvent,
  about: {
    readonly workspaceId: string;
    readonly agentId?: string | undefined;
    readonly sessionId?: string | undefined;
  },
): ServiceEvent {
  return { at: now(), ...about, ...event };
}

function scopeIds({ agentId, sessionId }: Scope, names: SessionNames): Pick<About, 'agentId' | 'sessionId'> {
  return {
    ...(agentId === undefined ? {} : { agentId }),
    ...(sessionId === undefined ? {} : { sessionId: names.ofService(sessionId) }),
  };
}

function now(): string {
  return new Date().toISOString();
}

import type { VNode } from 'preact';
import type { SessionPage } from '../api/types.ts';
import { useResource } from '../hooks/use-resource.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { visibleText } from '../parts/visible-text.ts';

/** As many as the service lists at once; the last used are first. */
const LISTED_SESSIONS = '200';

/** In whose view a workspace is looked at, as the query of a request; its agent's without a session where there is none. */
export type Scope = { readonly agentId: string; readonly sessionId: string } | undefined;

export interface ScopePickerProps {
  readonly workspaceId: string;
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
}

/** Chooses a session: servers with a state are each session's own. */
export function ScopePicker({ workspaceId, scope, onChange }: ScopePickerProps): VNode {
  const { data, error, reload } = useResource({
    key: workspaceId,
    load: (api, signal) =>
      api.json<SessionPage>('v1/sessions', { query: { workspaceId, limit: LISTED_SESSIONS }, signal }),
    changesBy: ({ type }) => type === 'chat-started' || type === 'session-deleted',
  });
  const sessions = data?.sessions ?? [];
  const chosen = sessions.findIndex(
    ({ agentId, sessionId }) => agentId === scope?.agentId && sessionId === scope.sessionId,
  );
  return (
    <>
      <label class="check">
        <span class="quiet">Those of</span>
        <select
          value={String(chosen)}
          onChange={({ currentTarget }) => {
            const session = sessions[Number(currentTarget.value)];
            onChange(session === undefined ? undefined : { agentId: session.agentId, sessionId: session.sessionId });
          }}
        >
          <option value="-1">the agent, in no session</option>
          {sessions.map(({ agentId, sessionId }, index) => (
            <option key={`${agentId}\n${sessionId}`} value={String(index)}>
              {visibleText(`${agentId} / ${sessionId}`)}
            </option>
          ))}
        </select>
      </label>
      <ErrorNote error={error} onRetry={reload} />
    </>
  );
}

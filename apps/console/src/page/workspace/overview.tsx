import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import type { Workspace, WorkspaceStatus } from '../api/types.ts';
import { useAction } from '../hooks/use-action.ts';
import { useServices } from '../hooks/services.ts';
import { type Resource, useResource } from '../hooks/use-resource.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { formatCountdown } from '../parts/format.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Name } from '../parts/name.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { SessionList } from '../session/session-list.tsx';
import { Eviction, WorkspaceAge } from './workspace-state.tsx';

export interface OverviewProps {
  readonly workspaceId: string;
  readonly workspace: Resource<Workspace>;
}

/** What is known of a workspace without opening it, and its life: open, close, remove. */
export function Overview({ workspaceId, workspace }: OverviewProps): VNode {
  const { data } = workspace;
  return (
    <>
      {data !== undefined && <Facts workspace={data} readAtMs={workspace.readAtMs} />}
      {data !== undefined && <Life workspace={data} onChange={workspace.reload} />}
      <section aria-labelledby="sessions-heading">
        <h2 id="sessions-heading">Sessions</h2>
        <SessionList workspaceId={workspaceId} />
      </section>
      {data?.status === 'open' && <Inside workspaceId={workspaceId} />}
    </>
  );
}

function Facts({ workspace, readAtMs }: { readonly workspace: Workspace; readonly readAtMs: number }): VNode {
  const { status } = useServices();
  return (
    <dl class="facts facts-wide">
      <dt>Id</dt>
      <dd>
        <code>{workspace.workspaceId}</code>
      </dd>
      <dt>Made for</dt>
      <dd>
        <Name text={workspace.agentId} /> <span class="quiet">in session</span> <Name text={workspace.sessionId} />
      </dd>
      <dt>Age</dt>
      <dd>
        <WorkspaceAge workspace={workspace} readAtMs={readAtMs} />
      </dd>
      <dt>Last used</dt>
      <dd>
        <TimeAgo at={workspace.lastUsedAt} />
      </dd>
      <dt>Evicted</dt>
      <dd>
        <Eviction workspace={workspace} readAtMs={readAtMs} />{' '}
        <span class="quiet">(after {formatCountdown(status.ttlMs)} without use; its data stay)</span>
      </dd>
    </dl>
  );
}

function Life({ workspace, onChange }: { readonly workspace: Workspace; readonly onChange: () => void }): VNode {
  const { workspaceId, agentId, sessionId, status } = workspace;
  const { run, isRunning, error } = useAction();
  const change = async (path: string, json?: unknown): Promise<void> => {
    if (await run((api) => api.json(path, { method: 'POST', json }))) onChange();
  };
  return (
    <>
      <ErrorNote error={error} />
      <div class="buttons">
        {status === 'closed' ? (
          <button
            type="button"
            class="small"
            disabled={isRunning}
            onClick={() => void change('v1/workspaces', { agentId, sessionId })}
          >
            Open
          </button>
        ) : (
          <button
            type="button"
            class="small"
            disabled={isRunning}
            onClick={() => void change(apiPath`workspaces/${workspaceId}/close`)}
          >
            Close
          </button>
        )}
        <ConfirmButton
          label="Remove"
          subject="workspace"
          action={(api) => api.json(apiPath`workspaces/${workspaceId}`, { method: 'DELETE' })}
          onDone={() => {
            location.hash = '#/';
          }}
        >
          Its files, skills, MCP servers and sessions are removed for good.
        </ConfirmButton>
      </div>
    </>
  );
}

/** What only an open workspace can say. */
function Inside({ workspaceId }: { readonly workspaceId: string }): VNode {
  const status = useResource({
    key: workspaceId,
    load: (api, signal) => api.json<WorkspaceStatus>(apiPath`workspaces/${workspaceId}/status`, { signal }),
    changesBy: (event) => event.workspaceId === workspaceId && event.type === 'diagnostic-added',
  });
  return (
    <section aria-labelledby="diagnostics-heading">
      <h2 id="diagnostics-heading">Diagnostics</h2>
      <Loaded resource={status}>
        {({ workdir, diagnostics }) => (
          <>
            <p class="quiet">
              Works in <code>{workdir}</code>
            </p>
            {diagnostics.length === 0 && <p class="empty">Nothing to report.</p>}
            <ul class="plain-list">
              {diagnostics.map(({ kind, path, reason, severity }) => (
                <li key={`${kind} ${path} ${reason}`} class="note note-busy">
                  <code>{severity}</code> <Name text={path} />: {reason}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

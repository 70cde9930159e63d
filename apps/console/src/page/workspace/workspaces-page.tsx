import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Workspace } from '../api/types.ts';
import { useResource } from '../hooks/use-resource.ts';
import { AgentDialog } from '../parts/agent-dialog.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Name } from '../parts/name.tsx';
import { Page } from '../parts/page.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { workspaceHref } from '../routing/route.ts';
import { Eviction, STATE_EVERY_MS, WorkspaceAge, WorkspaceState } from './workspace-state.tsx';

export function WorkspacesPage(): VNode {
  const workspaces = useResource({
    key: 'workspaces',
    load: (api, signal) => api.json<{ readonly workspaces: readonly Workspace[] }>('v1/workspaces', { signal }),
    changesBy: ({ type }) => type.startsWith('workspace-') || type.startsWith('chat-'),
    everyMs: STATE_EVERY_MS,
  });
  const [isCreating, setCreating] = useState(false);
  const newButton = (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      New workspace
    </button>
  );
  return (
    <Page title="Workspaces" id="workspaces" actions={newButton}>
      <Loaded resource={workspaces}>
        {(data) =>
          data.workspaces.length === 0 ? (
            <p class="empty">
              There is no workspace yet. An agent gets one with its first chat: begin one under{' '}
              <a href="#/sessions">Sessions</a>, or make a workspace here and put files and skills into it first.
            </p>
          ) : (
            <WorkspaceTable workspaces={data.workspaces} readAtMs={workspaces.readAtMs} />
          )
        }
      </Loaded>
      {isCreating && (
        <AgentDialog
          title="New workspace"
          submitLabel="Make it"
          hint="Who it is for. An agent that has one already keeps it."
          onClose={() => setCreating(false)}
          submit={async (api, ids) => {
            const made = await api.json<Workspace>('v1/workspaces', { method: 'POST', json: ids });
            location.hash = workspaceHref(made.workspaceId);
          }}
        />
      )}
    </Page>
  );
}

interface WorkspaceTableProps {
  readonly workspaces: readonly Workspace[];
  readonly readAtMs: number;
}

function WorkspaceTable({ workspaces, readAtMs }: WorkspaceTableProps): VNode {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Agent</th>
          <th scope="col">State</th>
          <th scope="col">Evicted</th>
          <th scope="col" class="wide">
            Age
          </th>
          <th scope="col" class="wide">
            Last used
          </th>
          <th scope="col" class="wide">
            Id
          </th>
        </tr>
      </thead>
      <tbody>
        {workspaces.map((workspace) => (
          <tr key={workspace.workspaceId}>
            <th scope="row">
              <a href={workspaceHref(workspace.workspaceId)}>
                <Name text={workspace.agentId} />
              </a>
            </th>
            <td>
              <WorkspaceState workspace={workspace} />
            </td>
            <td>
              <Eviction workspace={workspace} readAtMs={readAtMs} />
            </td>
            <td class="wide">
              <WorkspaceAge workspace={workspace} readAtMs={readAtMs} />
            </td>
            <td class="wide">
              <TimeAgo at={workspace.lastUsedAt} />
            </td>
            <td class="wide">
              <code class="quiet">{workspace.workspaceId}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

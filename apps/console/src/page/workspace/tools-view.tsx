import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { apiPath } from '../api/api-client.ts';
import type { Tool, ToolList } from '../api/types.ts';
import { useResource } from '../hooks/use-resource.ts';
import { formatCount } from '../parts/format.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Name } from '../parts/name.tsx';
import { ToolRow } from './tool-row.tsx';

/** What an agent in this workspace can call. To list the tools of MCP servers starts these. */
export function ToolsView({ workspaceId }: { readonly workspaceId: string }): VNode {
  const [filter, setFilter] = useState('');
  const tools = useResource({
    key: workspaceId,
    load: (api, signal) => api.json<ToolList>(apiPath`workspaces/${workspaceId}/tools`, { signal }),
    // Not by the state of servers: one that fails to start would be started again and again.
    changesBy: (event) => event.workspaceId === workspaceId && event.type === 'mcps-changed',
  });
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label="Filter tools"
          placeholder="Filter"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <button type="button" onClick={tools.reload}>
          Reload
        </button>
        {tools.data !== undefined && <span class="quiet">{formatCount(tools.data.tools.length, 'tool')}</span>}
      </div>
      <Loaded resource={tools}>
        {({ tools: all, problems }) => {
          const shown = all.filter((tool) => isMatch(tool, filter.toLowerCase()));
          return (
            <>
              {problems.map(({ server, message }) => (
                <p key={server} class="note note-bad">
                  <Name text={server} />: {message}
                </p>
              ))}
              {shown.length === 0 && (
                <p class="empty">
                  {all.length === 0
                    ? 'There is no tool. Add an MCP server to bring some.'
                    : 'None has this in its name.'}
                </p>
              )}
              <ul class="tools">
                {shown.map((tool) => (
                  <ToolRow key={`${tool.server ?? ''} ${tool.name}`} tool={tool} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function isMatch({ name, description, server }: Tool, text: string): boolean {
  return [name, description, server ?? ''].some((field) => field.toLowerCase().includes(text));
}

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { apiPath } from '../api/api-client.ts';
import type { Mcp } from '../api/types.ts';
import { useServices } from '../hooks/services.ts';
import { useResource } from '../hooks/use-resource.ts';
import { Loaded } from '../parts/loaded.tsx';
import { McpCard } from './mcp-card.tsx';
import { McpDialog } from './mcp-dialog.tsx';
import { type Scope, ScopePicker } from './scope-picker.tsx';

/** The MCP servers of a workspace. */
export function McpsView({ workspaceId }: { readonly workspaceId: string }): VNode {
  const { status } = useServices();
  const [isAdding, setAdding] = useState(false);
  const [scope, setScope] = useState<Scope>();
  const mcps = useResource({
    key: [workspaceId, scope?.agentId, scope?.sessionId].join('\n'),
    load: (api, signal) =>
      api.json<{ readonly mcps: readonly Mcp[] }>(apiPath`workspaces/${workspaceId}/mcps`, {
        query: { ...scope },
        signal,
      }),
    changesBy: (event) => event.workspaceId === workspaceId && event.type.startsWith('mcp'),
  });
  if (!status.features.mcps) {
    return (
      <p class="empty">
        Agents have no MCP servers of their own here: on the <code>{status.backend}</code> backend these would be
        programs of this machine. Start the service with <code>--single-tenant</code> if it is yours alone, or with{' '}
        <code>--backend docker</code>.
      </p>
    );
  }
  return (
    <>
      <div class="toolbar">
        <button type="button" class="primary" onClick={() => setAdding(true)}>
          Add a server
        </button>
        <button type="button" onClick={mcps.reload}>
          Reload
        </button>
        <ScopePicker workspaceId={workspaceId} scope={scope} onChange={setScope} />
      </div>
      <Loaded resource={mcps}>
        {(data) => (
          <>
            {data.mcps.length === 0 && (
              <p class="empty">
                There is no MCP server. Add one to give the agent its tools: it is started at first use.
              </p>
            )}
            <ul class="cards">
              {data.mcps.map((mcp) => (
                <McpCard key={mcp.name} workspaceId={workspaceId} scope={scope} mcp={mcp} onChange={mcps.reload} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {isAdding && (
        <McpDialog workspaceId={workspaceId} scope={scope} onClose={() => setAdding(false)} onAdded={mcps.reload} />
      )}
    </>
  );
}

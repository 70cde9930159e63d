import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { apiPath } from '../api/api-client.ts';
import type { Mcp, McpHealth, Tool } from '../api/types.ts';
import type { Tone } from '../events/describe-event.ts';
import { useAction } from '../hooks/use-action.ts';
import { useResource } from '../hooks/use-resource.ts';
import { Badge } from '../parts/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Name } from '../parts/name.tsx';
import type { Scope } from './scope-picker.tsx';
import { ToolRow } from './tool-row.tsx';

const TONES: Readonly<Record<McpHealth['kind'], Tone>> = {
  idle: 'quiet',
  connecting: 'busy',
  connected: 'good',
  failed: 'bad',
  closed: 'quiet',
};

export interface McpCardProps {
  readonly workspaceId: string;
  readonly scope: Scope;
  readonly mcp: Mcp;
  readonly onChange: () => void;
}

export function McpCard({ workspaceId, scope, mcp, onChange }: McpCardProps): VNode {
  const { name, health, stderrTail } = mcp;
  const { run, isRunning, error } = useAction();
  const restart = async (): Promise<void> => {
    await run((api) =>
      api.json(apiPath`workspaces/${workspaceId}/mcps/${name}/restart`, { method: 'POST', query: { ...scope } }),
    );
    onChange();
  };
  return (
    <li class="card" aria-label={name}>
      <div class="card-head">
        <strong class="mono">
          <Name text={name} />
        </strong>
        <Badge tone={TONES[health.kind]}>{health.kind}</Badge>
        {health.pid !== undefined && <span class="quiet">pid {health.pid}</span>}
        <span class="buttons">
          <button
            type="button"
            class="small"
            aria-label={`Restart ${name}`}
            disabled={isRunning}
            onClick={() => void restart()}
          >
            {isRunning ? 'Restarting …' : 'Restart'}
          </button>
          <ConfirmButton
            label="Remove"
            subject={name}
            action={(api) =>
              api.json(apiPath`workspaces/${workspaceId}/mcps/${name}`, { method: 'DELETE', query: { ...scope } })
            }
            onDone={onChange}
          >
            The server is stopped, and the agent loses its tools.
          </ConfirmButton>
        </span>
      </div>
      <p class="mono command">{commandOf(mcp)}</p>
      {[...mcp.env, ...mcp.headers].length > 0 && (
        <p class="quiet">with {[...mcp.env, ...mcp.headers].join(', ')} (values stay in the service)</p>
      )}
      {health.reason !== undefined && <p class="note note-bad">{health.reason}</p>}
      <ErrorNote error={error} />
      <Tools workspaceId={workspaceId} scope={scope} name={name} />
      {stderrTail !== '' && (
        <details open={health.kind === 'failed'}>
          <summary>Standard error</summary>
          <LongText text={stderrTail} label={`Standard error of ${name}`} />
        </details>
      )}
    </li>
  );
}

function commandOf({ command, args = [], url, transport }: Mcp): string {
  return url === undefined ? [command ?? transport, ...args].join(' ') : url;
}

interface ToolsProps {
  readonly workspaceId: string;
  readonly scope: Scope;
  readonly name: string;
}

/** Asked for only when somebody wants to see them: it starts the server. */
function Tools(props: ToolsProps): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Tools</summary>
      {isOpen && <ToolsOf {...props} />}
    </details>
  );
}

function ToolsOf({ workspaceId, scope, name }: ToolsProps): VNode {
  const tools = useResource({
    key: [workspaceId, name, scope?.agentId, scope?.sessionId].join('\n'),
    load: (api, signal) =>
      api.json<{ readonly tools: readonly Tool[] }>(apiPath`workspaces/${workspaceId}/mcps/${name}/tools`, {
        query: { ...scope },
        signal,
      }),
  });
  return (
    <Loaded resource={tools}>
      {(data) => (
        <>
          {data.tools.length === 0 && <p class="empty">It has no tools.</p>}
          <ul class="tools">
            {data.tools.map((tool) => (
              <ToolRow key={tool.name} tool={tool} />
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

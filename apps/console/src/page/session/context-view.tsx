import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import type { Block, ContextMessage } from '../api/types.ts';
import { BlockView } from '../chat/block-view.tsx';
import { useResource } from '../hooks/use-resource.ts';
import { formatCount } from '../parts/format.ts';
import { Loaded } from '../parts/loaded.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Prose } from '../parts/prose.tsx';

export interface OfSession {
  readonly agentId: string;
  readonly sessionId: string;
}

/** What was compressed out of the model's context, and is kept in the workspace in full. */
export function ContextView({ agentId, sessionId }: OfSession): VNode {
  const context = useResource({
    key: `${agentId}\n${sessionId}`,
    load: (api, signal) =>
      api.json<{ readonly messages: readonly ContextMessage[] }>(
        apiPath`agents/${agentId}/sessions/${sessionId}/context`,
        { signal },
      ),
    changesBy: ({ type }) => type === 'context-offloaded',
  });
  return (
    <Loaded resource={context}>
      {({ messages }) =>
        messages.length === 0 ? (
          <p class="empty">
            Nothing was offloaded: the whole conversation still fits into the model's context. What is compressed later
            is kept here in full.
          </p>
        ) : (
          <>
            <p class="quiet">{formatCount(messages.length, 'message')}, as in the session's context.jsonl</p>
            <div class="messages">
              {messages.map((message) => (
                <article key={message.id} class={`message message-${message.role}`} aria-label={message.name}>
                  <h2 class="message-role">{message.name}</h2>
                  {message.content.map((block, index) => (
                    <ContextBlock key={index} block={block} />
                  ))}
                </article>
              ))}
            </div>
          </>
        )
      }
    </Loaded>
  );
}

function ContextBlock({ block }: { readonly block: Block }): VNode {
  const { type, text, name, input, output } = block;
  if (type === 'text' && typeof text === 'string') return <Prose text={text} />;
  if (type !== 'tool_call' && type !== 'tool_result') return <BlockView block={block} label={type} />;
  const label = `${type === 'tool_call' ? 'Call of' : 'Result of'} ${String(name)}`;
  const content = type === 'tool_call' ? input : output;
  return (
    <details class="call">
      <summary>{label}</summary>
      {Array.isArray(content) ? (
        (content as readonly Block[]).map((part, index) => <BlockView key={index} block={part} label={label} />)
      ) : (
        <LongText text={typeof content === 'string' ? content : JSON.stringify(content ?? null)} label={label} />
      )}
    </details>
  );
}

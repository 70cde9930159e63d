import type { VNode } from 'preact';
import type { Block } from '../api/types.ts';
import type { Tone } from '../events/describe-event.ts';
import { Badge } from '../parts/badge.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Name } from '../parts/name.tsx';
import { BlockView } from './block-view.tsx';
import type { CallPart } from './message.ts';
import { summarizeInput } from './summarize-input.ts';

/** A call of a tool: what it is about in a line, and all of it on demand. */
export function CallView({ call }: { readonly call: CallPart }): VNode {
  const { toolName, input, output, errorText } = call;
  const { tone, text } = stateOf(call);
  return (
    <details class="call">
      <summary>
        <strong class="mono">
          <Name text={toolName} />
        </strong>{' '}
        <code>{summarizeInput(input)}</code> <Badge tone={tone}>{text}</Badge>
      </summary>
      {input !== undefined && <LongText text={JSON.stringify(input, undefined, 2)} label={`Input of ${toolName}`} />}
      {errorText !== undefined && <p class="note note-bad">{errorText}</p>}
      {output !== undefined && <Output output={output} toolName={toolName} />}
    </details>
  );
}

/** What a tool of a workspace gives; other tools give what they like. */
interface WorkspaceOutput {
  readonly content: readonly Block[];
  readonly state?: string;
  readonly offloadedTo?: string;
}

function Output({ output, toolName }: { readonly output: unknown; readonly toolName: string }): VNode {
  if (!isWorkspaceOutput(output)) {
    const text = typeof output === 'string' ? output : JSON.stringify(output, undefined, 2);
    return <LongText text={text} label={`Output of ${toolName}`} />;
  }
  return (
    <>
      {output.content.map((block, index) => (
        <BlockView key={index} block={block} label={`Output of ${toolName}`} />
      ))}
      {output.offloadedTo !== undefined && (
        <p class="quiet">
          All of it is in <code>{output.offloadedTo}</code>
        </p>
      )}
    </>
  );
}

function isWorkspaceOutput(output: unknown): output is WorkspaceOutput {
  return typeof output === 'object' && output !== null && Array.isArray((output as Partial<WorkspaceOutput>).content);
}

function stateOf({ state, output }: CallPart): { readonly tone: Tone; readonly text: string } {
  switch (state) {
    case 'input-streaming':
    case 'input-available':
    case 'approval-responded':
      return { tone: 'busy', text: 'running' };
    case 'approval-requested':
      return { tone: 'busy', text: 'waits for you' };
    case 'output-denied':
      return { tone: 'bad', text: 'denied' };
    case 'output-error':
      return { tone: 'bad', text: 'error' };
    case 'output-available': {
      const outcome = isWorkspaceOutput(output) ? (output.state ?? 'success') : 'success';
      return { tone: outcome === 'success' ? 'good' : outcome === 'running' ? 'busy' : 'bad', text: outcome };
    }
  }
}

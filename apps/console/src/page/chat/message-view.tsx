import type { VNode } from 'preact';
import { Prose } from '../parts/prose.tsx';
import { CallView } from './call-view.tsx';
import type { ChatMessage, Part } from './message.ts';

const NAMES: Readonly<Record<ChatMessage['role'], string>> = { user: 'You', assistant: 'Agent', system: 'System' };

/** One message: its texts as they are, and the calls of tools between them. */
export function MessageView({ message: { role, parts } }: { readonly message: ChatMessage }): VNode {
  return (
    <article class={`message message-${role}`} aria-label={NAMES[role]}>
      <h2 class="message-role">{NAMES[role]}</h2>
      {parts.map((part, index) => (
        // What was opened stays open when the message is read again.
        <PartView key={part.type === 'dynamic-tool' ? part.toolCallId : index} part={part} />
      ))}
    </article>
  );
}

function PartView({ part }: { readonly part: Part }): VNode {
  switch (part.type) {
    case 'text':
      return <Prose text={part.text} />;
    case 'reasoning':
      return (
        <details class="reasoning">
          <summary>Thoughts</summary>
          <Prose text={part.text} />
        </details>
      );
    case 'dynamic-tool':
      return <CallView call={part} />;
    case 'file':
      return <p class="quiet">A file: {part.filename ?? part.mediaType}</p>;
  }
}

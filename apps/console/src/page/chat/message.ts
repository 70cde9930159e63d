/* A chat as the AI SDK's UI has it, as far as it is shown here. */

export interface ChatMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
}

export type Part = TextPart | CallPart | FilePart;

export interface TextPart {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
  readonly state?: 'streaming' | 'done' | undefined;
  /** Of the part in its stream, while it grows. */
  readonly streamId?: string | undefined;
}

/** A call of a tool, and what came of it. */
export interface CallPart {
  readonly type: 'dynamic-tool';
  readonly toolName: string;
  readonly toolCallId: string;
  readonly state:
    | 'input-streaming'
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied';
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string | undefined;
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string } | undefined;
}

export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

/** A message as the service has it. Calls of tools that it knows beforehand say their names in their types. */
export interface StoredMessage extends Omit<ChatMessage, 'parts'> {
  readonly parts: readonly (Part | NamedCall | OtherPart)[];
}

interface NamedCall extends Omit<CallPart, 'type' | 'toolName'> {
  readonly type: `tool-${string}`;
}

/** Marks of steps, sources and the like. */
interface OtherPart {
  readonly type: 'step-start' | 'source-url' | 'source-document';
}

/** What is shown of a message, with all calls in one form: the same as its stream amounts to. */
export function toChatMessage(message: StoredMessage): ChatMessage {
  return { ...message, parts: message.parts.flatMap(shownParts) };
}

function shownParts(part: StoredMessage['parts'][number]): readonly Part[] {
  if (isNamedCall(part)) {
    const { type, ...call } = part;
    return [{ ...call, type: 'dynamic-tool', toolName: type.slice('tool-'.length) }];
  }
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'dynamic-tool':
    case 'file':
      return [part];
    case 'step-start':
    case 'source-url':
    case 'source-document':
    default:
      return [];
  }
}

function isNamedCall(part: StoredMessage['parts'][number]): part is NamedCall {
  return part.type.startsWith('tool-');
}

/** The calls that a history waits for somebody to approve. */
export function pendingCalls(messages: readonly ChatMessage[]): readonly CallPart[] {
  const parts = messages.at(-1)?.parts ?? [];
  return parts.filter((part) => part.type === 'dynamic-tool').filter(({ state }) => state === 'approval-requested');
}

import type { CallPart, ChatMessage, Part, TextPart } from './message.ts';

/** A chunk of the AI SDK's UI message stream. What it has beside its type depends on that. */
export type Chunk =
  | { readonly type: 'start'; readonly messageId?: string }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ({ readonly type: 'tool-input-start' } & CallIds)
  | ({ readonly type: 'tool-input-available'; readonly input: unknown } & CallIds)
  | ({ readonly type: 'tool-input-error'; readonly input: unknown; readonly errorText: string } & CallIds)
  | { readonly type: 'tool-approval-request'; readonly toolCallId: string; readonly approvalId: string }
  | { readonly type: 'tool-approval-response'; readonly approvalId: string; readonly approved: boolean }
  | { readonly type: 'tool-output-available'; readonly toolCallId: string; readonly output: unknown }
  | { readonly type: 'tool-output-error'; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'start-step' | 'finish-step' | 'finish' | 'abort' };

interface CallIds {
  readonly toolCallId: string;
  readonly toolName: string;
}

/** A message with what a chunk of its stream adds. Chunks of types that are not shown change nothing. */
export function applyChunk(message: ChatMessage, chunk: Chunk): ChatMessage {
  switch (chunk.type) {
    case 'start':
      return { ...message, id: chunk.messageId ?? message.id };
    case 'text-start':
      return withPart(message, { type: 'text', text: '', state: 'streaming', streamId: chunk.id });
    case 'reasoning-start':
      return withPart(message, { type: 'reasoning', text: '', state: 'streaming', streamId: chunk.id });
    case 'text-delta':
    case 'reasoning-delta':
      return changeText(message, chunk.id, (part) => ({ ...part, text: part.text + chunk.delta }));
    case 'text-end':
    case 'reasoning-end':
      return changeText(message, chunk.id, (part) => ({ ...part, state: 'done' }));
    case 'tool-input-start':
      return withCall(message, chunk, { state: 'input-streaming' });
    case 'tool-input-available':
      return withCall(message, chunk, { state: 'input-available', input: chunk.input });
    case 'tool-input-error':
      return withCall(message, chunk, { state: 'output-error', input: chunk.input, errorText: chunk.errorText });
    case 'tool-approval-request':
      return changeCall(message, chunk.toolCallId, { state: 'approval-requested', approval: { id: chunk.approvalId } });
    case 'tool-approval-response':
      return answerApproval(message, chunk);
    case 'tool-output-available':
      return changeCall(message, chunk.toolCallId, { state: 'output-available', output: chunk.output });
    case 'tool-output-error':
      return changeCall(message, chunk.toolCallId, { state: 'output-error', errorText: chunk.errorText });
    case 'tool-output-denied':
      return changeCall(message, chunk.toolCallId, { state: 'output-denied' });
    case 'error':
    case 'start-step':
    case 'finish-step':
    case 'finish':
    case 'abort':
    default:
      return message;
  }
}

type CallChange = Partial<Omit<CallPart, 'type' | 'toolName' | 'toolCallId'>>;

function withPart(message: ChatMessage, part: Part): ChatMessage {
  return { ...message, parts: [...message.parts, part] };
}

/** The call with its input, be it known already or not. */
function withCall(
  message: ChatMessage,
  { toolCallId, toolName }: CallIds,
  change: CallChange & Pick<CallPart, 'state'>,
): ChatMessage {
  const isKnown = message.parts.some((part) => part.type === 'dynamic-tool' && part.toolCallId === toolCallId);
  if (isKnown) return changeCall(message, toolCallId, change);
  return withPart(message, { type: 'dynamic-tool', toolCallId, toolName, ...change });
}

function changeCall(message: ChatMessage, toolCallId: string, change: CallChange): ChatMessage {
  return changePart(message, (part) =>
    part.type === 'dynamic-tool' && part.toolCallId === toolCallId ? { ...part, ...change } : part,
  );
}

function answerApproval(
  message: ChatMessage,
  { approvalId: id, approved }: { readonly approvalId: string; readonly approved: boolean },
): ChatMessage {
  return changePart(message, (part) =>
    part.type === 'dynamic-tool' && part.approval?.id === id
      ? { ...part, state: 'approval-responded', approval: { id, approved } }
      : part,
  );
}

/** Ids of texts are used again from step to step: the one that still grows is meant. */
function changeText(message: ChatMessage, streamId: string, change: (part: TextPart) => TextPart): ChatMessage {
  return changePart(message, (part) =>
    (part.type === 'text' || part.type === 'reasoning') && part.streamId === streamId && part.state === 'streaming'
      ? change(part)
      : part,
  );
}

function changePart(message: ChatMessage, change: (part: Part) => Part): ChatMessage {
  return { ...message, parts: message.parts.map(change) };
}

import type { ContentBlock, Message } from '@agent-workspace/core';
import type { AssistantContent, ModelMessage, ToolContent, UserContent } from 'ai';
import { canonicalJson } from './canonical-json.ts';
import { toMediaBlock } from './media-blocks.ts';
import { stableId } from './message-hash.ts';
import { toToolOutputBlocks } from './tool-output-blocks.ts';

export interface ToMessagesOptions {
  /** Where the first message stands in its conversation. Ids depend on it. Default 0. */
  readonly startPosition?: number | undefined;
}

type Part = Exclude<AssistantContent | UserContent, string>[number] | ToolContent[number];

/**
 * AI SDK messages as AgentScope's, one for one. Ids are made of a message's content and position,
 * so that the same message of a conversation has the same id each time. What a provider adds to a
 * part is kept in `provider_options`. Tool messages become assistant messages, which is where
 * AgentScope has results.
 */
export function toMessages(messages: readonly ModelMessage[], options: ToMessagesOptions = {}): Message[] {
  const start = options.startPosition ?? 0;
  return messages.map((message, index) => toMessage(message, start + index));
}

function toMessage(message: ModelMessage, position: number): Message {
  const id = stableId(position, canonicalJson(message));
  const role = message.role === 'tool' ? 'assistant' : message.role;
  const parts: readonly Part[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const awaitingApproval = new Set(
    parts.filter((part) => part.type === 'tool-approval-request').map((part) => part.toolCallId),
  );
  const content = parts.map((part, index) => toBlock(part, { messageId: id, index, awaitingApproval }));
  return { name: role, role, id, content };
}

interface Place {
  readonly messageId: string;
  readonly index: number;
  readonly awaitingApproval: ReadonlySet<string>;
}

function toBlock(part: Part, place: Place): ContentBlock {
  const block = toBareBlock(part, place);
  const providerOptions = 'providerOptions' in part ? part.providerOptions : undefined;
  return providerOptions === undefined ? block : { ...block, provider_options: providerOptions };
}

function toBareBlock(part: Part, { messageId, index, awaitingApproval }: Place): ContentBlock {
  const id = stableId(messageId, index);
  switch (part.type) {
    case 'text':
      return { type: 'text', id, text: part.text };
    case 'reasoning':
      return { type: 'thinking', id, thinking: part.text };
    case 'image':
      return toMediaBlock(id, part.image, part.mediaType ?? 'image/*', undefined);
    case 'file':
      return toMediaBlock(id, part.data, part.mediaType, part.filename);
    case 'reasoning-file':
      return toMediaBlock(id, part.data, part.mediaType, undefined);
    case 'tool-call':
      return {
        type: 'tool_call',
        id: part.toolCallId,
        name: part.toolName,
        input: JSON.stringify(part.input ?? {}),
        state: awaitingApproval.has(part.toolCallId) ? 'asking' : 'finished',
      };
    case 'tool-result':
      return {
        type: 'tool_result',
        id: part.toolCallId,
        name: part.toolName,
        ...toToolOutputBlocks(part.output, stableId(messageId, index)),
      };
    case 'tool-approval-request':
    case 'tool-approval-response':
    case 'custom':
      return { type: 'hint', id, hint: canonicalJson({ ...part, providerOptions: undefined }), source: part.type };
  }
}

import type { ContentBlock, DataBlock, TextBlock } from '../messages/blocks.ts';
import type { Message } from '../messages/message.ts';
import type { DecodedMedia, MediaStore } from './media-store.ts';

type Pending = Map<string, DecodedMedia>;
type Content = string | readonly (TextBlock | DataBlock)[];

function moveInContent(content: Content, media: MediaStore, pending: Pending): Content {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'data' ? media.move(block, pending) : block));
}

function moveInBlock(block: ContentBlock, media: MediaStore, pending: Pending): ContentBlock {
  switch (block.type) {
    case 'data':
      return media.move(block, pending);
    case 'tool_result':
      return { ...block, output: moveInContent(block.output, media, pending) };
    case 'hint':
      return { ...block, hint: moveInContent(block.hint, media, pending) };
    case 'text':
    case 'thinking':
    case 'tool_call':
      return block;
  }
}

/** A message with URLs in place of inline media, also inside tool results and hints. */
export function moveMedia(message: Message, media: MediaStore, pending: Pending): Message {
  return { ...message, content: message.content.map((block) => moveInBlock(block, media, pending)) };
}

import type { DataBlock, TextBlock } from '../messages/blocks.ts';
import type { MCPContent } from './mcp-client.ts';

type Block = TextBlock | DataBlock;

const text = (value: string): Block => ({ type: 'text', id: crypto.randomUUID(), text: value });

function data(base64: string, mediaType: unknown, name?: string): Block {
  return {
    type: 'data',
    id: crypto.randomUUID(),
    source: {
      type: 'base64',
      data: base64,
      media_type: typeof mediaType === 'string' ? mediaType : 'application/octet-stream',
    },
    ...(name !== undefined && { name }),
  };
}

/** Content that we have no block for is shown as it came: nothing that a server sent is lost. */
const unknown = (content: unknown): Block => text(JSON.stringify(content));

function fromResource(content: MCPContent): Block {
  const resource = content['resource'] as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof resource?.['text'] === 'string') return text(resource['text']);
  if (typeof resource?.['blob'] === 'string') {
    return data(
      resource['blob'],
      resource['mimeType'],
      typeof resource['uri'] === 'string' ? resource['uri'] : undefined,
    );
  }
  return unknown(content);
}

function fromLink(content: MCPContent): Block {
  const { uri, name, title, description } = content;
  if (typeof uri !== 'string') return unknown(content);
  const label = [title ?? name, description].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return text(label === '' ? `Resource ${uri}` : `Resource ${uri} (${label})`);
}

/** Nobody has checked what a server sent: it may be null, a number or an array, none of which has a type. */
function toBlock(content: MCPContent | null): Block {
  switch (content?.type) {
    case 'text':
      return typeof content['text'] === 'string' ? text(content['text']) : unknown(content);
    case 'image':
    case 'audio':
      return typeof content['data'] === 'string' ? data(content['data'], content['mimeType']) : unknown(content);
    case 'resource':
      return fromResource(content);
    case 'resource_link':
      return fromLink(content);
    default:
      return unknown(content);
  }
}

/**
 * The blocks that a model sees of what a server answered. Kinds that we do not know, and what is
 * no content at all, become text with their JSON.
 */
export function toContentBlocks(content: readonly (MCPContent | null)[]): Block[] {
  return content.map(toBlock);
}

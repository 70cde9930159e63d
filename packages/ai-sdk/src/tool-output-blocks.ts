import type { DataBlock, TextBlock, ToolResultState } from '@agent-workspace/core';
import type { ToolResultPart } from 'ai';
import { type MediaData, referenceUrl, toMediaBlock } from './media-blocks.ts';
import { stableId } from './message-hash.ts';

type Output = ToolResultPart['output'];
type ContentPart = Extract<Output, { readonly type: 'content' }>['value'][number];

export interface ToolOutputBlocks {
  readonly output: string | readonly (TextBlock | DataBlock)[];
  readonly state: ToolResultState;
}

/** A tool result's output, in each of its kinds, as a tool result block holds it. */
export function toToolOutputBlocks(output: Output, messageId: string): ToolOutputBlocks {
  switch (output.type) {
    case 'text':
      return { output: output.value, state: 'success' };
    case 'json':
      return { output: JSON.stringify(output.value), state: 'success' };
    case 'error-text':
      return { output: output.value, state: 'error' };
    case 'error-json':
      return { output: JSON.stringify(output.value), state: 'error' };
    case 'execution-denied':
      return { output: output.reason ?? '', state: 'denied' };
    case 'content':
      return {
        output: output.value.map((part, position) => toBlock(part, stableId(messageId, 'output', position))),
        state: 'success',
      };
  }
}

function toBlock(part: ContentPart, id: string): TextBlock | DataBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', id, text: part.text };
    case 'file':
      return toMediaBlock(id, part.data, part.mediaType, part.filename);
    case 'file-data':
      return media(id, part.data, part.mediaType, part.filename);
    case 'image-data':
      return media(id, part.data, part.mediaType);
    case 'file-url':
      return media(id, part.url, part.mediaType);
    case 'image-url':
      return media(id, part.url, 'image/*');
    case 'file-id':
      return media(id, referenceUrl(toReference(part.fileId)));
    case 'image-file-id':
      return media(id, referenceUrl(toReference(part.fileId)), 'image/*');
    case 'file-reference':
      return media(id, referenceUrl(part.providerReference));
    case 'image-file-reference':
      return media(id, referenceUrl(part.providerReference), 'image/*');
    case 'custom':
      return { type: 'text', id, text: JSON.stringify(part.providerOptions ?? {}) };
  }
}

function media(
  id: string,
  data: MediaData,
  mediaType: string = 'application/octet-stream',
  name?: string,
): TextBlock | DataBlock {
  return toMediaBlock(id, data, mediaType, name);
}

function toReference(fileId: string | Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return typeof fileId === 'string' ? { unknown: fileId } : fileId;
}

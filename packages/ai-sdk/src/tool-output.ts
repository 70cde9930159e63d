import type { DataBlock, TextBlock, ToolResultState } from '@agent-workspace/core';
import type { ToolResultPart } from 'ai';

/** What a workspace tool gives the loop, and what is stored with a conversation: plain JSON. */
export interface WorkspaceToolOutput {
  readonly content: readonly (TextBlock | DataBlock)[];
  readonly state: ToolResultState;
  /** Where the whole result is, as the agent sees it, if `content` is only its beginning. */
  readonly offloadedTo?: string | undefined;
}

type ModelOutput = ToolResultPart['output'];
type ModelContentPart = Extract<ModelOutput, { readonly type: 'content' }>['value'][number];

/**
 * A result as a provider may see it: text, media as data, and media that lie in the workspace as
 * their path. Depends on its arguments alone, since it runs again whenever a conversation is replayed.
 *
 * @param workdir where the workspace is, as the agent sees it
 */
export function toModelOutput(output: unknown, workdir: string): ModelOutput {
  if (!isWorkspaceToolOutput(output)) return { type: 'json', value: toJson(output) };
  const parts = output.content.map((block) => toPart(block, workdir));
  const isText = parts.every((part) => part.type === 'text');
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  switch (output.state) {
    case 'denied':
      return { type: 'execution-denied', reason: text };
    case 'error':
      // There is no kind for a failure with media, so that its text has to say that it is one.
      return isText
        ? { type: 'error-text', value: text }
        : { type: 'content', value: [{ type: 'text', text: 'The call failed:' }, ...parts] };
    case 'success':
    case 'interrupted':
    case 'running':
      return isText ? { type: 'text', value: text } : { type: 'content', value: parts };
  }
}

function toPart(block: TextBlock | DataBlock, workdir: string): ModelContentPart {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { source, name } = block;
  const filename = typeof name === 'string' ? { filename: name } : {};
  const mediaType = source.media_type;
  if (source.type === 'base64') {
    return { type: 'file', mediaType, data: { type: 'data', data: source.data }, ...filename };
  }
  const { protocol, pathname } = URL.canParse(source.url) ? new URL(source.url) : { protocol: '', pathname: '' };
  if (protocol === 'http:' || protocol === 'https:') {
    return { type: 'file', mediaType, data: { type: 'url', url: new URL(source.url) }, ...filename };
  }
  const place = protocol === 'workspace:' ? `${workdir}${decodeURIComponent(pathname)}` : source.url;
  return { type: 'text', text: `[${mediaType}${typeof name === 'string' ? ` ${name}` : ''} in ${place}]` };
}

function isWorkspaceToolOutput(output: unknown): output is WorkspaceToolOutput {
  return (
    typeof output === 'object' &&
    output !== null &&
    'content' in output &&
    Array.isArray(output.content) &&
    'state' in output &&
    typeof output.state === 'string'
  );
}

type Json = Extract<ModelOutput, { readonly type: 'json' }>['value'];

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value) ?? 'null') as Json;
}

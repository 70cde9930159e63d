import {
  type DataBlock,
  formatCall,
  type Logger,
  type TextBlock,
  type ToolResult,
  type WorkspaceSession,
} from '@agent-workspace/core';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { byteLength, headOf } from './byte-text.ts';

type Content = CallToolResult['content'][number];
type Link = Extract<Content, { type: 'resource_link' }>;

export interface CallResultOptions {
  readonly session: WorkspaceSession;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** Of the text of a result; what is longer is kept in the workspace. */
  readonly maxResultBytes: number;
  /** Of all media of a result that go along with it, decoded. */
  readonly maxMediaBytes: number;
  /** The client knows links to resources. */
  readonly takesLinks: boolean;
  /** The client has the tool Read to read a file with. */
  readonly canRead: boolean;
  /** Told of what can be read as a resource from now on, and of media what they are. */
  readonly onOffloaded: (path: string, mimeType?: string) => void;
  readonly logger: Logger;
}

/** For the words that follow a beginning. */
const NOTICE_BYTES = 1024;

/**
 * A result as a client gets it: text up to the cap, images and sound as such up to theirs, and the
 * rest by its path in the workspace, with the call that reads on.
 */
export async function toCallResult(result: ToolResult, options: CallResultOptions): Promise<CallToolResult> {
  const shown: Content[] = [];
  const notes = new Set<Content>();
  const links: Link[] = [];
  let mediaBytes = 0;
  for (const block of result.content) {
    if (block.type === 'text') {
      shown.push({ type: 'text', text: block.text });
      continue;
    }
    const sizeBytes = decodedBytes(block);
    const media = mediaBytes + sizeBytes <= options.maxMediaBytes ? inlineMedia(block) : undefined;
    if (media !== undefined) {
      mediaBytes += sizeBytes;
      shown.push(media);
    } else {
      const note = await keepMedia(block, options, links);
      notes.add(note);
      shown.push(note);
    }
  }
  const texts = result.content.filter((block) => block.type === 'text');
  const isWhole = texts.reduce((sum, { text }) => sum + byteLength(text), 0) <= options.maxResultBytes;
  const others = shown.filter((part) => part.type !== 'text' || notes.has(part));
  const content = isWhole ? shown : [await keepText(texts, { result, options, links }), ...others];
  return {
    content: [...content, ...(options.takesLinks ? links : [])],
    ...(isWhole && structured(result, options.maxResultBytes)),
    ...(result.state !== 'success' && { isError: true }),
  };
}

/** An answer that no tool gave. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function decodedBytes({ source }: DataBlock): number {
  return source.type === 'base64' ? Math.floor((source.data.length * 3) / 4) : 0;
}

function inlineMedia({ source }: DataBlock): Content | undefined {
  if (source.type !== 'base64') return undefined;
  const [kind] = source.media_type.split('/');
  if (kind !== 'image' && kind !== 'audio') return undefined;
  return { type: kind, data: source.data, mimeType: source.media_type };
}

async function keepMedia(block: DataBlock, options: CallResultOptions, links: Link[]): Promise<Content> {
  const { session, canRead, onOffloaded } = options;
  const kept = await session.offloadDataBlock(block);
  const { source } = kept;
  const mimeType = source.media_type;
  if (source.type === 'base64') return { type: 'text', text: `[${mimeType} that could not be kept]` };
  const inWorkspace = /^workspace:\/\/(?<path>\/.*)$/u.exec(source.url)?.groups?.['path'];
  if (inWorkspace === undefined) {
    links.push({ type: 'resource_link', uri: source.url, name: kept.name ?? source.url, mimeType });
    return { type: 'text', text: `[${mimeType} at ${source.url}]` };
  }
  const path = `${session.workdir}${decodeURIComponent(inWorkspace)}`;
  onOffloaded(path, mimeType);
  const size = block.source.type === 'base64' ? `, ${decodedBytes(block)} bytes` : '';
  links.push({ type: 'resource_link', uri: source.url, name: kept.name ?? nameOf(path), mimeType });
  const how = canRead ? ` If it is of a kind that Read shows: ${formatCall('Read', { file_path: path })}` : '';
  return { type: 'text', text: `[${mimeType}${size}, kept in ${path}.${how}]` };
}

interface Keeping {
  readonly result: ToolResult;
  readonly options: CallResultOptions;
  readonly links: Link[];
}

/** The beginning of a text that is too long, which is kept whole in the workspace. */
async function keepText(texts: readonly TextBlock[], { result, options, links }: Keeping): Promise<Content> {
  const { maxResultBytes, toolCallId, toolName } = options;
  const whole = texts.map(({ text }) => text).join('');
  const head = headOf(whole, Math.max(0, maxResultBytes - NOTICE_BYTES));
  const counted = `Only the first ${byteLength(head)} of ${byteLength(whole)} bytes are shown.`;
  let place: string;
  try {
    const block = { type: 'tool_result', id: toolCallId, name: toolName, output: whole, state: result.state } as const;
    const path = await options.session.offloadToolResult(options.sessionId, block);
    options.onOffloaded(path);
    const uri = `workspace://${encodeURI(path.slice(options.session.workdir.length))}`;
    links.push({
      type: 'resource_link',
      uri,
      name: nameOf(path),
      description: `The whole result of ${toolName}`,
      mimeType: 'text/plain',
    });
    place = `All of it is in ${path}. ${wayOn(path, { head, uri, canRead: options.canRead })}`;
  } catch (error) {
    options.logger.error('A result could not be kept in the workspace.', { tool: toolName, error });
    const reason = error instanceof Error ? error.message : String(error);
    place = `The rest is lost, since it could not be kept: ${reason} Ask for less at a time.`;
  }
  return { type: 'text', text: `${head}\n\n[${counted} ${place}]` };
}

/** The call that shows what comes after `head`. */
function wayOn(
  path: string,
  { head, uri, canRead }: { readonly head: string; readonly uri: string; readonly canRead: boolean },
): string {
  if (!canRead) return `Read on with the resource ${uri}?offset=${byteLength(head)}`;
  const input = head.endsWith('\n')
    ? { file_path: path, offset: head.split('\n').length }
    : { file_path: path, byte_offset: byteLength(head) };
  return `Read on: ${formatCall('Read', input)}, or find what you need with Grep.`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** What a nested server gave as data, where it is a client's to take: an object that is not too large. */
function structured({ metadata }: ToolResult, maxBytes: number): Pick<CallToolResult, 'structuredContent'> {
  const value = (metadata['mcp_result'] as { readonly structuredContent?: unknown } | undefined)?.structuredContent;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  if (byteLength(JSON.stringify(value)) > maxBytes) return {};
  return { structuredContent: value as Record<string, unknown> };
}

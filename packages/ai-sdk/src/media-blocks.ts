import type { DataBlock, TextBlock } from '@agent-workspace/core';
import type { FilePart, ImagePart } from 'ai';

/** Everything that a file part, an image part or a tool's output holds media as. */
export type MediaData = FilePart['data'] | ImagePart['image'];

/** Media of a message as a block: bytes inline, and what is elsewhere by its URL. */
export function toMediaBlock(
  id: string,
  data: MediaData,
  mediaType: string,
  name: string | undefined,
): DataBlock | TextBlock {
  const named = name === undefined ? {} : { name };
  const inline = (base64: string, type: string = mediaType): DataBlock => ({
    type: 'data',
    id,
    source: { type: 'base64', data: base64, media_type: type },
    ...named,
  });
  const byUrl = (url: string): DataBlock => {
    const dataUrl = parseDataUrl(url);
    if (dataUrl !== undefined) return inline(dataUrl.base64, dataUrl.mediaType ?? mediaType);
    return { type: 'data', id, source: { type: 'url', url, media_type: mediaType }, ...named };
  };

  if (typeof data === 'string') return URL.canParse(data) ? byUrl(data) : inline(data);
  if (data instanceof URL) return byUrl(data.href);
  if (data instanceof Uint8Array) return inline(Buffer.from(data).toString('base64'));
  if (data instanceof ArrayBuffer) return inline(Buffer.from(data).toString('base64'));
  if (isTagged(data)) {
    switch (data.type) {
      case 'data':
        return toMediaBlock(id, data.data, mediaType, name);
      case 'url':
        return byUrl(data.url.href);
      case 'text':
        return { type: 'text', id, text: data.text, ...named };
      case 'reference':
        return byUrl(referenceUrl(data.reference));
    }
  }
  return byUrl(referenceUrl(data));
}

/** A file that lies with a provider, which only its reference can name. */
export function referenceUrl(reference: Readonly<Record<string, string>>): string {
  const [provider = 'unknown', id = ''] = Object.entries(reference)[0] ?? [];
  return `provider-file:///${encodeURIComponent(provider)}/${encodeURIComponent(id)}`;
}

type TaggedData = Extract<MediaData, { readonly type: 'data' | 'url' | 'text' | 'reference' }>;

function isTagged(data: object): data is TaggedData {
  return 'type' in data && ['data', 'url', 'text', 'reference'].includes(data.type as string);
}

function parseDataUrl(url: string): { base64: string; mediaType: string | undefined } | undefined {
  const match = /^data:(?<type>[^,]*?)(?<isBase64>;base64)?,(?<data>.*)$/isu.exec(url);
  if (match?.groups === undefined) return undefined;
  const { type = '', isBase64, data = '' } = match.groups;
  const base64 = isBase64 === undefined ? Buffer.from(decodeURIComponent(data), 'utf8').toString('base64') : data;
  return { base64, mediaType: type === '' ? undefined : type };
}

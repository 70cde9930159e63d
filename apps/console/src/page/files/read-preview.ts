import type { ApiClient } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';

/** Enough to see what a file is. */
export const SHOWN_TEXT_BYTES = 200_000;
/** The most that an image may have to be shown, so that a page does not fill the memory. */
const SHOWN_IMAGE_BYTES = 20_000_000;

/** What can be shown of a file. Nothing of it is ever run or laid out as a page. */
export type Preview =
  | { readonly kind: 'text'; readonly text: string; readonly sizeBytes: number; readonly isCut: boolean }
  | { readonly kind: 'image'; readonly blob: Blob; readonly sizeBytes: number }
  | { readonly kind: 'none'; readonly sizeBytes: number };

export interface PreviewOptions {
  /** Of the content, relative to the service. */
  readonly url: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

/** Reads as much of a file as is shown. */
export async function readPreview(api: ApiClient, options: PreviewOptions): Promise<Preview> {
  try {
    return await readBeginning(api, options);
  } catch (error) {
    // Of an empty file there is no beginning.
    if (error instanceof ApiError && error.status === 416)
      return { kind: 'text', text: '', sizeBytes: 0, isCut: false };
    throw error;
  }
}

async function readBeginning(api: ApiClient, { url, query, signal }: PreviewOptions): Promise<Preview> {
  const request = { query: { ...query, inline: '1' }, signal };
  const response = await api.fetch(url, { ...request, headers: { range: `bytes=0-${SHOWN_TEXT_BYTES - 1}` } });
  const bytes = await response.bytes();
  const sizeBytes = Number(response.headers.get('content-range')?.split('/')[1] ?? bytes.byteLength);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('image/')) {
    if (sizeBytes > SHOWN_IMAGE_BYTES) return { kind: 'none', sizeBytes };
    const isWhole = bytes.byteLength === sizeBytes;
    const blob = isWhole ? new Blob([bytes], { type }) : await (await api.fetch(url, request)).blob();
    return { kind: 'image', blob, sizeBytes };
  }
  const isCut = bytes.byteLength < sizeBytes;
  const text = decode(bytes, isCut);
  return text === undefined ? { kind: 'none', sizeBytes } : { kind: 'text', text, sizeBytes, isCut };
}

/** The text, if it is one. Where it is cut, the last character may be in pieces. */
export function decode(bytes: Uint8Array<ArrayBuffer>, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { FileStat, Workspace } from '@agent-workspace/core';
import type { AppContext } from './app-env.ts';
import { parseRange } from './range.ts';

/** What a browser may show in place, by the ends of names: nothing that is run. */
const SHOWN_IMAGES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

export interface Download {
  readonly workspace: Workspace;
  /** A real path, whose last part is no link. */
  readonly path: string;
  readonly name: string;
  readonly stat: FileStat;
  /** Text and images in place, rather than as a download. */
  readonly isInline: boolean;
}

export function etagOf({ version }: FileStat): string {
  return `"${createHash('sha256').update(version).digest('base64url').slice(0, 22)}"`;
}

/** A file of a workspace as an answer. What it is, an agent has decided: it is never run as a page of this service. */
export async function download(c: AppContext, options: Download): Promise<Response> {
  const { workspace, path, name, stat, isInline } = options;
  const etag = etagOf(stat);
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-type': isInline ? shownType(name) : 'application/octet-stream',
    'content-disposition': disposition(isInline ? 'inline' : 'attachment', name),
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'",
    'x-content-type-options': 'nosniff',
  };
  if (c.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers });
  const { sizeBytes } = stat;
  // A range of another version would not fit what the client has.
  const ifRange = c.req.header('if-range');
  const range = ifRange === undefined || ifRange === etag ? parseRange(c.req.header('range'), sizeBytes) : undefined;
  const { first, last } = range ?? { first: 0, last: sizeBytes - 1 };
  const length = last - first + 1;
  const all = {
    ...headers,
    'content-length': String(length),
    ...(range === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${sizeBytes}` }),
  };
  const init = { status: range === undefined ? 200 : 206, headers: all };
  if (c.req.method === 'HEAD' || length === 0) return new Response(null, init);
  const hold = workspace.hold();
  try {
    const stream = await workspace.backend.openRead(path, { offset: first, length, noFollow: true });
    return new Response(
      untilEnd(stream, () => hold[Symbol.dispose]()),
      init,
    );
  } catch (error) {
    hold[Symbol.dispose]();
    throw error;
  }
}

function shownType(name: string): string {
  return SHOWN_IMAGES[posix.extname(name).toLowerCase()] ?? 'text/plain; charset=utf-8';
}

/** @see {@link https://www.rfc-editor.org/rfc/rfc6266} */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/gu, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** The same stream; tells when nobody reads it any more, however that comes. */
function untilEnd(stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}

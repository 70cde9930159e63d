import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { EnvdState } from '../envd-state.ts';
import { describeError, isMissing } from '../filesystem/system-error.ts';
import { resolvePath } from '../users/resolve-path.ts';
import { actingUser } from './acting-user.ts';
import { authorize } from './authorize.ts';
import { checkConditions, isRangeCurrent, parseRange } from './conditions.ts';
import { inlineDisposition } from './content-disposition.ts';
import { chooseEncoding } from './content-encoding.ts';
import { SNIFFED_BYTES, sniffType, typeByExtension, typeOfCompressed } from './content-type.ts';
import { FilesError } from './files-error.ts';

const CONDITIONS = ['range', 'if-modified-since', 'if-none-match', 'if-range'];

async function statFile(path: string): Promise<Stats> {
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (error) {
    if (isMissing(error)) throw new FilesError(404, `path '${path}' does not exist`, { cause: error });
    const reason = describeError(error, 'stat', path);
    throw new FilesError(500, `error checking if path exists '${path}': ${reason}`, { cause: error });
  }
  if (stats.isDirectory()) throw new FilesError(400, `path '${path}' is a directory`);
  // Opening a pipe waits for whoever writes to it, for ever if nobody does.
  if (!stats.isFile()) throw new FilesError(400, `path '${path}' is not a regular file`);
  return stats;
}

async function sniff(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  return sniffType(buffer.subarray(0, bytesRead));
}

interface Download {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly file: FileHandle;
  readonly stats: Stats;
  /** As the client names it. */
  readonly name: string;
}

async function sendCompressed({ response, file, name }: Download): Promise<void> {
  response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': typeOfCompressed(name) });
  // The way is short: more time for fewer bytes would be time lost.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  await pipeline(file.createReadStream({ autoClose: false, start: 0 }), gzip, response);
}

async function sendPlain({ request: { headers }, response, file, stats, name }: Download): Promise<void> {
  response.setHeader('last-modified', stats.mtime.toUTCString());
  const instead = checkConditions(headers, stats.mtimeMs);
  if (instead !== undefined) {
    response.writeHead(instead).end();
    return;
  }
  response.setHeader('accept-ranges', 'bytes');
  const wanted = isRangeCurrent(headers, stats.mtimeMs) ? headers.range : undefined;
  const range = wanted === undefined ? undefined : parseRange(wanted, stats.size);
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${stats.size}`);
    response.writeHead(416, { 'content-type': 'text/plain; charset=utf-8' });
    response.end('invalid range: failed to overlap\n');
    return;
  }
  response.setHeader('content-type', typeByExtension(name) ?? (await sniff(file)));
  const { start, end } = range ?? { start: 0, end: stats.size - 1 };
  if (range !== undefined) response.setHeader('content-range', `bytes ${start}-${end}/${stats.size}`);
  response.writeHead(range === undefined ? 200 : 206, { 'content-length': end - start + 1 });
  if (end < start) {
    response.end();
    return;
  }
  const content = file.createReadStream({ autoClose: false, start, end });
  await pipeline(content, response, { end: false });
  // Of a file that has become shorter meanwhile there is less than was said: the client is to see that.
  if (content.bytesRead === end - start + 1) response.end();
  else response.destroy();
}

/**
 * `GET /files`: the file, or a part of it.
 *
 * @throws FilesError 400, 401, 404, 406, 500
 */
export async function download(
  request: IncomingMessage,
  response: ServerResponse,
  options: { readonly query: URLSearchParams; readonly state: EnvdState },
): Promise<void> {
  const { query, state } = options;
  authorize(request, { query, operation: 'read', state });
  const user = await actingUser(query.get('username') ?? undefined, state);
  const name = query.get('path') ?? '';
  const path = resolvePath(name, user, state);
  const stats = await statFile(path);
  const encoding = chooseEncoding(
    request.headers,
    CONDITIONS.some((header) => request.headers[header] !== undefined),
  );
  const file = await open(path).catch((error: unknown) => {
    throw new FilesError(500, `error opening file '${path}': ${describeError(error, 'open', path)}`, { cause: error });
  });
  try {
    response.setHeader('content-disposition', inlineDisposition(basename(path)));
    response.setHeader('vary', 'Accept-Encoding');
    const send = encoding === 'gzip' ? sendCompressed : sendPlain;
    await send({ request, response, file, stats, name });
  } finally {
    await file.close();
  }
}

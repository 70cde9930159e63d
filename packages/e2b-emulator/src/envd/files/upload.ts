import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { EnvdState } from '../envd-state.ts';
import { resolvePath } from '../users/resolve-path.ts';
import { actingUser } from './acting-user.ts';
import { authorize } from './authorize.ts';
import { uploadEncoding } from './content-encoding.ts';
import { FilesError } from './files-error.ts';
import { readMetadataHeaders } from './metadata-headers.ts';
import { readMultipart } from './read-multipart.ts';
import { storeUpload, type UploadedFile } from './store-upload.ts';

/**
 * The body as it is meant. Whoever gives it up does not end the request with it, which is still to be answered.
 *
 * @throws FilesError 400
 */
function decodedBody(request: IncomingMessage): Readable {
  const body = uploadEncoding(request.headers) === 'gzip' ? createGunzip() : new PassThrough();
  // What goes wrong in it before anybody reads from it is for whoever does.
  body.once('error', () => undefined);
  request.once('error', (error) => body.destroy(error));
  return request.pipe(body);
}

/** What was no gzip from the first byte on is the client's fault, and the client's to be told. */
function isNotGzip(error: unknown): boolean {
  return error instanceof Error && error.message.includes('incorrect header check');
}

function refuseTwice(path: string, uploaded: readonly UploadedFile[]): void {
  if (!uploaded.some((file) => file.path === path)) return;
  const others = uploaded.map((file) => file.path).filter((other) => other !== path);
  const also = others.length > 1 ? `, also the following files were uploaded: ${others.join(', ')}` : '';
  const rule = `you cannot upload multiple files to the same path '${path}' in one upload request`;
  throw new FilesError(400, `${rule}, only the first specified file was uploaded${also}`);
}

interface Reception {
  readonly request: IncomingMessage;
  /** `?path`. */
  readonly wantedPath: string | null;
  readonly store: (name: string, content: Readable) => Promise<void>;
}

async function receive({ request, wantedPath, store }: Reception): Promise<void> {
  const body = decodedBody(request);
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'application/octet-stream') {
    if (wantedPath === null) throw new FilesError(400, 'path query parameter is required for raw body upload');
    return await store(wantedPath, body);
  }
  if (!mediaType.startsWith('multipart/')) {
    const expected = 'multipart/form-data or application/octet-stream';
    throw new FilesError(400, `unsupported content type: ${contentType}, expected ${expected}`);
  }
  await readMultipart(request, body, async ({ fileName, body: content }) => {
    const name = wantedPath ?? fileName;
    if (name !== undefined) return await store(name, content);
    const reason = 'filename not found in Content-Disposition header';
    throw new FilesError(400, `error getting multipart custom part file name: ${reason}`);
  });
}

function readContentLength(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * `POST /files`: the files of a form, or one file as it is.
 *
 * @throws FilesError 400, 401, 500, 507
 */
export async function upload(
  request: IncomingMessage,
  response: ServerResponse,
  options: { readonly query: URLSearchParams; readonly state: EnvdState },
): Promise<void> {
  const { query, state } = options;
  authorize(request, { query, operation: 'write', state });
  const user = await actingUser(query.get('username') ?? undefined, state);
  const metadata = readMetadataHeaders(request);
  const requestBytes = readContentLength(request);
  const uploaded: UploadedFile[] = [];

  const store = async (name: string, content: Readable): Promise<void> => {
    const path = resolvePath(name, user, state);
    refuseTwice(path, uploaded);
    uploaded.push(await storeUpload({ path, body: content, user, metadata, requestBytes }));
  };
  try {
    await receive({ request, wantedPath: query.get('path'), store });
  } catch (error) {
    if (!isNotGzip(error)) throw error;
    throw new FilesError(400, 'error decompressing request body: incorrect header check', { cause: error });
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(JSON.stringify(uploaded));
}

import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { ConnectError } from './connect-error.ts';

const unzip = promisify(zlib.gunzip);

export const gzip: (bytes: Buffer) => Promise<Buffer> = promisify<Buffer, Buffer>(zlib.gzip);

/** @throws ConnectError `invalid_argument` */
export async function gunzip(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await unzip(bytes);
  } catch (error) {
    throw new ConnectError('invalid_argument', `decompress: ${String(error)}`, { cause: error });
  }
}

/** Whether the client takes gzip, by one of its `…Accept-Encoding` headers. */
export function acceptsGzip(accepted: string | readonly string[] | undefined): boolean {
  return String(accepted ?? '')
    .split(',')
    .some((encoding) => /^gzip(?:;q=(?!0(?:\.0*)?$).*)?$/.test(encoding.replaceAll(/\s/g, '')));
}

/**
 * Whether a request's body is gzip, by one of its `…Content-Encoding` headers.
 *
 * @throws ConnectError `unimplemented` if it is another one.
 */
export function isGzip(headers: IncomingHttpHeaders, name: 'content-encoding' | 'connect-content-encoding'): boolean {
  const encoding = headers[name];
  if (encoding === undefined || encoding === '' || encoding === 'identity') return false;
  if (encoding === 'gzip') return true;
  throw new ConnectError('unimplemented', `unknown compression "${String(encoding)}": supported encodings are gzip`);
}

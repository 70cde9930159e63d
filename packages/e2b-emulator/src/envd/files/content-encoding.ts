import type { IncomingHttpHeaders } from 'node:http';
import { FilesError } from './files-error.ts';

/** The encodings of a file on its way. */
export type ContentEncoding = 'gzip' | 'identity';

const ACCEPTED_NAMES = '[identity gzip]';

/** Encodings and how much each is wanted, most wanted first. */
function readQualities(header: string): readonly (readonly [encoding: string, quality: number])[] {
  const qualities = header.split(',').map((item): readonly [string, number] => {
    const [encoding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const number = quality === undefined || quality === '' ? Number.NaN : Number(quality);
    return [encoding, Number.isNaN(number) ? 1 : number];
  });
  return qualities.toSorted(([, a], [, b]) => b - a);
}

/**
 * In which encoding to send a file. A part of it, or an answer that depends on conditions, is never compressed.
 *
 * @throws FilesError 406
 */
export function chooseEncoding(headers: IncomingHttpHeaders, takesIdentityOnly: boolean): ContentEncoding {
  const header = headers['accept-encoding'];
  if (header === undefined || header === '') return 'identity';
  const qualities = readQualities(header);
  const qualityOf = (wanted: string): number | undefined => qualities.find(([encoding]) => encoding === wanted)?.[1];
  const refusesIdentity = (qualityOf('identity') ?? qualityOf('*')) === 0;
  if (takesIdentityOnly && !refusesIdentity) return 'identity';
  if (!takesIdentityOnly) {
    for (const [encoding, quality] of qualities) {
      if (quality === 0) continue;
      if (encoding === 'gzip' || encoding === 'identity') return encoding;
      if (encoding === '*') return refusesIdentity ? 'gzip' : 'identity';
    }
    if (!refusesIdentity) return 'identity';
  }
  const reason = `no acceptable encoding found, supported: ${ACCEPTED_NAMES}`;
  throw new FilesError(406, `error parsing Accept-Encoding: ${reason}`);
}

/**
 * How an upload is encoded.
 *
 * @throws FilesError 400 for anything but gzip
 */
export function uploadEncoding(headers: IncomingHttpHeaders): ContentEncoding {
  const header = headers['content-encoding'] ?? '';
  const encoding = header.split(';', 1)[0]?.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return 'identity';
  if (encoding === 'gzip') return 'gzip';
  const reason = `unsupported Content-Encoding: ${header}, supported: [gzip]`;
  throw new FilesError(400, `error decompressing request body: ${reason}`);
}

import { ServiceError } from './service-error.ts';

/** A part of something, the last byte included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * What of something a client wants; `undefined` for all of it, also where it asks for several parts at
 * once, which a server may answer in whole.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-14.2}
 * @throws `range-not-satisfiable`
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/u.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const range =
    from === ''
      ? { first: Math.max(0, sizeBytes - Number(to)), last: sizeBytes - 1 }
      : { first: Number(from), last: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) };
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  if (range.first > range.last) {
    const message = `The file has ${sizeBytes} bytes, and none of them is in the range.`;
    throw new ServiceError('range-not-satisfiable', message, { details: { sizeBytes } });
  }
  return range;
}

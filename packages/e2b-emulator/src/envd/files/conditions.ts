import type { IncomingHttpHeaders } from 'node:http';

/** Bytes of a file from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const MS_PER_SECOND = 1000;

function parseSeconds(date: string | undefined): number | undefined {
  const ms = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / MS_PER_SECOND);
}

/** Whether the answer is the file, or a status that takes its place. There are no entity tags. */
export function checkConditions(headers: IncomingHttpHeaders, modifiedMs: number): 304 | 412 | undefined {
  const modified = Math.floor(modifiedMs / MS_PER_SECOND);
  const isAny = (tags: string): boolean => tags.split(',').some((tag) => tag.trim() === '*');
  if (headers['if-match'] !== undefined) {
    if (!isAny(headers['if-match'])) return 412;
  } else {
    const unmodifiedSince = parseSeconds(headers['if-unmodified-since']);
    if (unmodifiedSince !== undefined && modified > unmodifiedSince) return 412;
  }
  if (headers['if-none-match'] !== undefined) return isAny(headers['if-none-match']) ? 304 : undefined;
  const modifiedSince = parseSeconds(headers['if-modified-since']);
  return modifiedSince !== undefined && modified <= modifiedSince ? 304 : undefined;
}

/** Whether `If-Range`, where there is one, still holds. */
export function isRangeCurrent(headers: IncomingHttpHeaders, modifiedMs: number): boolean {
  const ifRange = headers['if-range'];
  if (ifRange === undefined) return true;
  return typeof ifRange === 'string' && parseSeconds(ifRange) === Math.floor(modifiedMs / MS_PER_SECOND);
}

/**
 * The part of the file that is asked for. Several parts at once are answered with the whole, as HTTP allows.
 *
 * @returns `undefined` for the whole, `'unsatisfiable'` where there is no such part
 */
export function parseRange(header: string, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, list] = /^bytes=(.*)$/.exec(header) ?? [];
  const wanted =
    list
      ?.split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '') ?? [];
  if (wanted.length > 1) return undefined;
  const [, first = '', last = ''] = /^(\d*)\s*-\s*(\d*)$/.exec(wanted[0] ?? '') ?? [];
  if (first === '' && last === '') return 'unsatisfiable';
  if (sizeBytes === 0) return undefined;
  const lastByte = sizeBytes - 1;
  if (first === '')
    return Number(last) === 0 ? 'unsatisfiable' : { start: Math.max(0, sizeBytes - Number(last)), end: lastByte };
  const range = { start: Number(first), end: last === '' ? lastByte : Math.min(Number(last), lastByte) };
  return range.start > lastByte || range.end < range.start ? 'unsatisfiable' : range;
}

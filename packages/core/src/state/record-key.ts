import { createHash } from 'node:crypto';

const KEY_BYTES = 16;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withSortedKeys(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What two records have in common that are the same one; text and objects cannot be taken for each other. */
function identity(line: string): string {
  try {
    const record: unknown = JSON.parse(line);
    if (isObject(record) && typeof record['id'] === 'string') {
      return `object ${JSON.stringify([record['id'], record['content']], withSortedKeys)}`;
    }
  } catch (error) {
    // Not JSON, or nested too deeply to be walked: then the same record is one with the same text.
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
  }
  return `text ${line}`;
}

/**
 * What tells a record of a JSON Lines file from others, in 16 bytes: the same for two JSON objects
 * with one string `id` and equal `content`, and for two other lines with the same text.
 */
export function recordKey(line: string): Buffer {
  return createHash('sha256').update(identity(line), 'utf8').digest().subarray(0, KEY_BYTES);
}

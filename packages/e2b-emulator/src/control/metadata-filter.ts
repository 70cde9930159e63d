import { ApiError } from './api-error.ts';

/**
 * Reads the `metadata` of a list's query. Callers encode each key and value, join them as a query
 * string, which encodes them again, and that as a query's value, which encodes them once more.
 *
 * @param encoded the query's value, decoded once
 * @throws {ApiError} 400 for a pair without `=`
 */
export function parseMetadataFilter(encoded: string): ReadonlyMap<string, string> {
  const pairs = decodePart(encoded)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const [key, value, ...rest] = pair.split('=');
      if (key === undefined || value === undefined || rest.length > 0) {
        throw new ApiError(400, `Error parsing metadata: '${pair}' is not a key and a value`);
      }
      return [decodePart(key), decodePart(value)];
    });
  return new Map(pairs);
}

/** Whether all of the pairs are among the metadata. */
export function matchesMetadata(
  metadata: Readonly<Record<string, string>>,
  filter: ReadonlyMap<string, string>,
): boolean {
  return [...filter].every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value);
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError(400, `Error parsing metadata: '${text}' is not encoded well`);
  }
}

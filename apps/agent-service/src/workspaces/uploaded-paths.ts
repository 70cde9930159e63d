import { LimitExceededError, PathInvalidError } from '@agent-workspace/core';

/** What a skill may hold, files and folders together. */
const MOST_ENTRIES = 10_000;
const MOST_DEPTH = 32;
const MOST_NAME_BYTES = 255;
/** Linux takes 4,096 with the directory before it. */
const MOST_PATH_BYTES = 3_072;

/**
 * Whether files with these paths can be in one folder.
 *
 * @throws `path-invalid`, `limit-exceeded`
 */
export function checkUploadedPaths(paths: readonly string[]): void {
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    checkPath(path, parts);
    if (files.has(path)) refuse(path, 'two of the files have it');
    files.add(path);
    for (let depth = 1; depth < parts.length; depth += 1) folders.add(parts.slice(0, depth).join('/'));
    if (files.size + folders.size > MOST_ENTRIES) {
      throw new LimitExceededError({ what: 'The number of files and folders', limit: MOST_ENTRIES });
    }
  }
  const both = paths.find((path) => folders.has(path));
  if (both !== undefined) refuse(both, 'it is that of a file, and of a folder with another file in it');
}

function checkPath(path: string, parts: readonly string[]): void {
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isPlain || /[\\\0]/u.test(path)) {
    refuse(path, 'the name of a file has to be its path in the folder, with / in between');
  }
  if (parts.length > MOST_DEPTH) refuse(path, `it is deeper than ${MOST_DEPTH} folders`);
  if (parts.some((part) => Buffer.byteLength(part) > MOST_NAME_BYTES)) {
    refuse(path, `a name in it is longer than ${MOST_NAME_BYTES} bytes`);
  }
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) refuse(path, `it is longer than ${MOST_PATH_BYTES} bytes`);
}

function refuse(path: string, reason: string): never {
  throw new PathInvalidError({ path, reason });
}

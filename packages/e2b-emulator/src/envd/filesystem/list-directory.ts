import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectError } from '../connect/connect-error.ts';
import { describeEntry, type EntryInfo, isDirectoryItself } from './entry-info.ts';
import { OwnerNames } from './owner-names.ts';
import { codeOf, describeError, isMissing } from './system-error.ts';

async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const reason = describeError(error, 'lstat', path);
    if (isMissing(error)) throw new ConnectError('not_found', `path not found: ${reason}`, { cause: error });
    if (codeOf(error) === 'ELOOP') {
      const message = `cyclic symlink or chain >255 links at "${path}"`;
      throw new ConnectError('failed_precondition', message, { cause: error });
    }
    throw new ConnectError('internal', `error resolving symlink: ${reason}`, { cause: error });
  }
}

interface Walk {
  readonly directory: string;
  /** As the client knows the directory. */
  readonly shownAs: string;
  readonly depth: number;
  readonly owners: OwnerNames;
}

async function* walk({ directory, shownAs, depth, owners }: Walk): AsyncGenerator<EntryInfo> {
  const names = (await readdir(directory)).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const name of names) {
    const [location, path] = [join(directory, name), join(shownAs, name)];
    let entry: EntryInfo;
    try {
      entry = await describeEntry({ location, path, owners });
    } catch (error) {
      // It was there when the directory was read, and has gone since.
      if (isMissing(error)) continue;
      throw error;
    }
    yield entry;
    if (depth > 1 && isDirectoryItself(entry)) {
      yield* walk({ directory: location, shownAs: path, depth: depth - 1, owners });
    }
  }
}

/**
 * The entries of a directory down to a depth, each directory before what is in it, by name. Follows a link at
 * the path itself only, and tells all paths under the path as it was asked for.
 *
 * @param depth 1: the directory's own entries.
 * @throws ConnectError `not_found`, `invalid_argument` for a file, `failed_precondition` for a loop of links
 */
export async function listDirectory(path: string, depth: number): Promise<EntryInfo[]> {
  const directory = await resolveLinks(path);
  if (!(await stat(directory)).isDirectory()) {
    throw new ConnectError('invalid_argument', `path is not a directory: ${directory}`);
  }
  try {
    const entries: EntryInfo[] = [];
    const owners = new OwnerNames();
    for await (const entry of walk({ directory, shownAs: path, depth, owners })) entries.push(entry);
    return entries;
  } catch (error) {
    const reason = describeError(error, 'open', directory);
    throw new ConnectError('internal', `error reading directory ${directory}: ${reason}`, { cause: error });
  }
}

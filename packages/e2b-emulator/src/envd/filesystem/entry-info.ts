import type { BigIntStats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConnectError } from '../connect/connect-error.ts';
import { formatMode, permissionBits } from './file-mode.ts';
import { type Metadata, readMetadata } from './metadata.ts';
import { OwnerNames } from './owner-names.ts';
import { describeError, isMissing } from './system-error.ts';
import { formatTimestamp } from './timestamp.ts';

type FileType = 'FILE_TYPE_FILE' | 'FILE_TYPE_DIRECTORY';

/** `filesystem.EntryInfo` as protobuf's JSON has it: what is zero or empty is left out. */
export interface EntryInfo {
  readonly name: string;
  /** Of what a link leads to. Left out for a dangling link, a device, a pipe, a socket. */
  readonly type?: FileType;
  readonly path: string;
  /** In bytes, as int64 is written in JSON. Of a link its own. */
  readonly size?: string;
  /** Permission bits, of what a link leads to. */
  readonly mode?: number;
  /** In Go's letters, of a link its own. */
  readonly permissions: string;
  readonly owner: string;
  readonly group: string;
  readonly modifiedTime: string;
  /** Where a link leads to in the end; the link itself if it leads nowhere. */
  readonly symlinkTarget?: string;
  readonly metadata?: Metadata;
}

/** A directory, and not a link to one. */
export function isDirectoryItself(entry: EntryInfo): boolean {
  return entry.permissions.startsWith('d');
}

function typeOf(stats: BigIntStats): FileType | undefined {
  if (stats.isFile()) return 'FILE_TYPE_FILE';
  return stats.isDirectory() ? 'FILE_TYPE_DIRECTORY' : undefined;
}

interface LinkTarget {
  readonly path: string;
  readonly stats: BigIntStats | undefined;
}

async function followLink(path: string): Promise<LinkTarget> {
  try {
    const target = await realpath(path);
    return { path: target, stats: await stat(target, { bigint: true }) };
  } catch {
    return { path, stats: undefined };
  }
}

/** An entry to tell of. */
export interface EntryToDescribe {
  /** Where it is. */
  readonly location: string;
  /** As the client knows it. */
  readonly path: string;
  readonly owners: OwnerNames;
}

/** Tells of one entry. @throws an error of the system if it is not there */
export async function describeEntry({ location, path, owners }: EntryToDescribe): Promise<EntryInfo> {
  const own = await lstat(location, { bigint: true });
  const link = own.isSymbolicLink() ? await followLink(location) : undefined;
  const target = link === undefined ? own : link.stats;
  const type = target && typeOf(target);
  const mode = target === undefined ? 0 : permissionBits(target);
  const metadata = readMetadata(location);
  const names = await owners.find(own.uid, own.gid);
  return {
    name: basename(path) || '/',
    ...(type !== undefined && { type }),
    path,
    ...(own.size > 0n && { size: String(own.size) }),
    ...(mode !== 0 && { mode }),
    permissions: formatMode(own),
    ...names,
    modifiedTime: formatTimestamp(own.mtimeNs),
    ...(link !== undefined && { symlinkTarget: link.path }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/**
 * Tells of the entry at the path, of a link itself.
 *
 * @throws ConnectError `not_found`, `internal`
 */
export async function entryInfo(path: string): Promise<EntryInfo> {
  try {
    return await describeEntry({ location: path, path, owners: new OwnerNames() });
  } catch (error) {
    const reason = describeError(error, 'lstat', path);
    if (isMissing(error)) throw new ConnectError('not_found', `file not found: ${reason}`, { cause: error });
    throw new ConnectError('internal', `error getting file info: ${reason}`, { cause: error });
  }
}

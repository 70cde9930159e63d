import { closeSync, constants, lstatSync, readlinkSync } from 'node:fs';
import {
  LimitExceededError,
  type Logger,
  NotAFileError,
  type ReadTreeOptions,
  type TreeEntry,
} from '@agent-workspace/core';
import { readFully } from '../files/descriptor.ts';
import { byCodeUnit } from '../files/entries.ts';
import { permissionBits, toFileStat } from '../files/file-stat.ts';
import { openRegular } from '../files/open-regular.ts';
import { Pacer } from '../files/pacer.ts';
import type { PathGuard } from '../files/path-guard.ts';
import { isErrno, throwIfAborted } from '../files/translate-error.ts';
import { type WalkedEntry, walkTree } from './walk-tree.ts';

const DEFAULT_MAX_DEPTH = 32;
const DEFAULT_MAX_FILE_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_ENTRIES = 10_000;
const DEFAULT_MAX_TOTAL_BYTES = 500 * 1024 * 1024;
const NO_BYTES = new Uint8Array();

export async function readTree(
  guard: PathGuard,
  directory: string,
  options: ReadTreeOptions & { readonly logger: Logger },
): Promise<readonly TreeEntry[]> {
  const { maxEntries = DEFAULT_MAX_ENTRIES, maxTotalBytes = DEFAULT_MAX_TOTAL_BYTES, logger } = options;
  const check = (): void => throwIfAborted(options.signal, 'read', directory);
  check();
  const root = guard.target(directory);
  const names = options.names === undefined ? undefined : new Set(options.names);
  const entries: TreeEntry[] = [];
  let totalBytes = 0;
  const walk = walkTree(root, {
    pacer: new Pacer(check),
    ignoreNames: options.ignoreNames,
    maxDepth: options.maxDepth ?? DEFAULT_MAX_DEPTH,
    onUnreadable: (path, error) => logger.warn('A directory of a tree cannot be listed.', { directory, path, error }),
  });
  for await (const walked of walk) {
    if (names !== undefined && (walked.kind === 'directory' || !names.has(walked.name))) continue;
    const entry = await readEntry(walked, options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES);
    if (entry === undefined) continue;
    entries.push(entry);
    if (entries.length > maxEntries) {
      throw new LimitExceededError({ what: `The number of entries in ${directory}`, limit: maxEntries });
    }
    if (entry.kind === 'file') totalBytes += entry.bytes.byteLength;
    if (totalBytes > maxTotalBytes) {
      throw new LimitExceededError({ what: `The size in bytes of ${directory}`, limit: maxTotalBytes });
    }
  }
  return entries.toSorted((a, b) => byCodeUnit(a.path, b.path));
}

/** `undefined` for what is no part of a tree, and for what went away meanwhile. */
async function readEntry(walked: WalkedEntry, maxFileBytes: number): Promise<TreeEntry | undefined> {
  const { kind, path, realPath } = walked;
  try {
    switch (kind) {
      case 'directory':
        return { kind, path, mode: permissionBits(lstatSync(realPath, { bigint: true })) };
      case 'link':
        return { kind, path, target: readlinkSync(realPath) };
      case 'file':
        return await readTreeFile(path, realPath, maxFileBytes);
      case 'other':
        return undefined;
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL') || NotAFileError.isInstance(error)) return undefined;
    throw error;
  }
}

async function readTreeFile(path: string, realPath: string, maxBytes: number): Promise<TreeEntry> {
  const withoutBytes = (stat = toFileStat(lstatSync(realPath, { bigint: true }))): TreeEntry => ({
    kind: 'file',
    path,
    bytes: NO_BYTES,
    mode: stat.mode,
    stat,
  });
  try {
    const { descriptor, stats } = openRegular(realPath, constants.O_RDONLY, realPath);
    try {
      const stat = toFileStat(stats);
      if (stat.sizeBytes > maxBytes) return withoutBytes(stat);
      const bytes = await readFully(descriptor, stat.sizeBytes, 0);
      return { kind: 'file', path, bytes, mode: stat.mode, stat };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // One file that may not be read does not take the others away.
    if (isErrno(error, 'EACCES', 'EPERM')) return withoutBytes();
    throw error;
  }
}

import { type Dirent, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { FileKind } from '@agent-workspace/core';
import { fileKind } from '../files/file-stat.ts';
import type { Pacer } from '../files/pacer.ts';
import { isTemporaryName } from '../files/temporary-name.ts';
import { isErrno } from '../files/translate-error.ts';

export interface WalkOptions {
  readonly pacer: Pacer;
  readonly ignoreNames?: readonly string[] | undefined;
  /** 1 is the directory's own entries. No limit by default. */
  readonly maxDepth?: number | undefined;
  /** Called for a directory below the first that cannot be listed. Default: throw. */
  readonly onUnreadable?: ((path: string, error: unknown) => void) | undefined;
}

export interface WalkedEntry {
  /** Relative to the directory. */
  readonly path: string;
  readonly realPath: string;
  readonly name: string;
  readonly kind: FileKind;
}

/** All that is below a directory, which is given by its real path. Links are named and not followed. */
export async function* walkTree(directory: string, options: WalkOptions): AsyncIterable<WalkedEntry> {
  const { pacer, maxDepth = Infinity } = options;
  const ignored = new Set(options.ignoreNames);
  const pending = [{ path: '', depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path: parent, depth } = next;
    for (const entry of list(directory, parent, options)) {
      if (pacer.isDue) await pacer.pause();
      if (ignored.has(entry.name) || isTemporaryName(entry.name)) continue;
      const path = posix.join(parent, entry.name);
      const kind = fileKind(entry);
      if (kind === 'directory' && depth < maxDepth) pending.push({ path, depth: depth + 1 });
      yield { path, realPath: posix.join(directory, path), name: entry.name, kind };
    }
  }
}

function list(directory: string, path: string, { onUnreadable }: WalkOptions): readonly Dirent[] {
  try {
    return readDirents(posix.join(directory, path));
  } catch (error) {
    if (path === '') throw error;
    // It went away, or something else came in its place, since its parent was listed.
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    if (onUnreadable === undefined) throw error;
    onUnreadable(path, error);
    return [];
  }
}

function readDirents(realPath: string): readonly Dirent[] {
  return readdirSync(realPath, { withFileTypes: true });
}

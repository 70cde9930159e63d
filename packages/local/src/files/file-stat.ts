import { type BigIntStats, type Dirent, lstatSync, type Stats } from 'node:fs';
import type { FileKind, FileStat } from '@agent-workspace/core';
import { isErrno } from './translate-error.ts';

const NANOSECONDS_PER_MILLISECOND = 1e6;

export function fileKind(entry: BigIntStats | Dirent): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

export function lstatIfThere(realPath: string): Stats | undefined {
  try {
    return lstatSync(realPath, { throwIfNoEntry: false });
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

export function permissionBits(stats: BigIntStats): number {
  return Number(stats.mode) & 0o777;
}

export function toFileStat(stats: BigIntStats): FileStat {
  return {
    kind: fileKind(stats),
    sizeBytes: Number(stats.size),
    modifiedMs: Number(stats.mtimeNs) / NANOSECONDS_PER_MILLISECOND,
    mode: permissionBits(stats),
    version: [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join('-'),
  };
}

import { posix } from 'node:path';
import type { TreeEntry } from '../backend/trees.ts';
import { maskMode } from './skill-limits.ts';

/** An entry of a skill on the host; a file's bytes are read when they are written. */
export type SourceEntry =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: number;
      readonly sizeBytes: number;
      readonly read: () => Promise<Uint8Array>;
    }
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** A skill's files on the host, or in an archive there. */
export interface SourceTree {
  /** What diagnostics call it. */
  readonly origin: string;
  /** The folder's own name, for a skill that has none. */
  readonly folder: string;
  /** Relative to the folder with SKILL.md. */
  readonly entries: readonly SourceEntry[];
}

const MAX_LINK_HOPS = 40;

/**
 * Follows every link in a path of a tree.
 *
 * @returns the path that it leads to, `''` for the tree itself; `undefined` if it leaves the tree
 * anywhere on the way, or turns in a circle
 */
export function resolveInTree(path: string, links: ReadonlyMap<string, string>): string | undefined {
  const pending = path.split('/').toReversed();
  const resolved: string[] = [];
  let hops = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (resolved.pop() === undefined) return undefined;
      continue;
    }
    const target = links.get([...resolved, part].join('/'));
    if (target === undefined) {
      resolved.push(part);
      continue;
    }
    hops += 1;
    if (hops > MAX_LINK_HOPS || target.startsWith('/')) return undefined;
    pending.push(...target.split('/').toReversed());
  }
  return resolved.join('/');
}

type LinkOrOther =
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'file' | 'directory'; readonly path: string };

export function linksOf(entries: readonly LinkOrOther[]): ReadonlyMap<string, string> {
  return new Map(entries.flatMap((entry) => (entry.kind === 'link' ? [[entry.path, entry.target] as const] : [])));
}

export interface SortedLinks<Entry> {
  readonly kept: readonly Entry[];
  /** Links that lead to nothing in the tree, with a clause that says so. */
  readonly dropped: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Parts the links of a tree that lead to something in it from the others. One that takes a detour
 * becomes a direct one, which needs no knowledge of the other links to be seen to stay inside.
 */
export function sortOutLinks<Entry extends LinkOrOther>(entries: readonly Entry[]): SortedLinks<Entry> {
  const paths = new Set(entries.map(({ path }) => path)).add('');
  const links = linksOf(entries);
  const kept: Entry[] = [];
  const dropped: { path: string; reason: string }[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'link') {
      kept.push(entry);
      continue;
    }
    const { path, target } = entry;
    const end = resolveInTree(path, links);
    if (end === undefined || !paths.has(end)) {
      const where = end === undefined ? 'leads out of it' : 'leads to nothing in it';
      dropped.push({ path, reason: `it is left out: the link to ${JSON.stringify(target)} ${where}` });
      continue;
    }
    const isDirect = posix.normalize(target) === target;
    kept.push(isDirect ? entry : { ...entry, target: posix.relative(posix.dirname(path), end) || '.' });
  }
  return { kept, dropped };
}

/** The entries with their bytes, one at a time. */
export async function* toTreeEntries(entries: readonly SourceEntry[]): AsyncGenerator<TreeEntry> {
  for (const entry of entries) {
    if (entry.kind === 'link') yield entry;
    else if (entry.kind === 'directory') {
      yield { kind: 'directory', path: entry.path, mode: maskMode(entry.mode, 'directory') };
    } else {
      yield { kind: 'file', path: entry.path, mode: maskMode(entry.mode, 'file'), bytes: await entry.read() };
    }
  }
}

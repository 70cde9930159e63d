import type { ChangeOptions, FileStat, PathOptions } from './files.ts';

/** One entry of a tree; `path` is relative to the tree's directory, with `/` between its parts. */
export type TreeEntry =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly bytes: Uint8Array;
      /** Permission bits. Default 0o644. */
      readonly mode?: number | undefined;
      /** Given by `readTree`. */
      readonly stat?: FileStat | undefined;
    }
  | { readonly kind: 'directory'; readonly path: string; readonly mode?: number | undefined }
  /** `target` as it is written in the link. */
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** Names left out wherever they stand: what editors, package managers and systems leave in a folder. */
export const NOISE_NAMES: readonly string[] = ['.DS_Store', '.git', '__pycache__', 'node_modules', 'Thumbs.db'];

export interface WriteTreeOptions extends ChangeOptions {
  /** Replace a directory that is there, rather than fail with `file-exists`. Default `false`. */
  readonly replace?: boolean | undefined;
  readonly sync?: boolean | undefined;
}

export interface ReadTreeOptions extends PathOptions {
  /** Base names of the files to read; others are left out. Default: all. */
  readonly names?: readonly string[] | undefined;
  /** 1 is the directory's own entries. Default 32. */
  readonly maxDepth?: number | undefined;
  /** A larger file comes with its `stat` and no bytes. Default 64 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Default 10,000; more fails with `limit-exceeded`. */
  readonly maxEntries?: number | undefined;
  /** Bytes of all files together. Default 500 MiB; more fails with `limit-exceeded`. */
  readonly maxTotalBytes?: number | undefined;
  /** Base names to leave out. Default: none. */
  readonly ignoreNames?: readonly string[] | undefined;
}

export interface CopyTreeOptions extends WriteTreeOptions {
  /** Base names to leave out. Default: none. */
  readonly ignoreNames?: readonly string[] | undefined;
}

export interface HashTreeOptions extends PathOptions {
  /** Base names to leave out. Default: none. */
  readonly ignoreNames?: readonly string[] | undefined;
}

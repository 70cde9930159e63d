export interface PathOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Proof that the caller holds a lock; checked right before a change takes effect. */
export interface HeldLock {
  readonly path: string;
  /** What the lock file must still contain somewhere in its text. */
  readonly nonce: string;
}

export interface ChangeOptions extends PathOptions {
  /** Fail with `lock-lost`, and change nothing, if the lock is no longer held. */
  readonly heldLock?: HeldLock | undefined;
}

export type FileKind = 'file' | 'directory' | 'link' | 'other';

export interface FileStat {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Milliseconds since the epoch, by the file system's own clock, with fractions. */
  readonly modifiedMs: number;
  /** Permission bits, such as 0o644. */
  readonly mode: number;
  /** Changes with every write: device, inode, size and times in nanoseconds. Compare, do not parse. */
  readonly version: string;
}

export interface StatOptions extends PathOptions {
  /** Describe a link itself rather than what it leads to. Default `false`. */
  readonly noFollow?: boolean | undefined;
}

export interface DirectoryEntry {
  readonly name: string;
  /** Of the entry itself: a link is a `'link'`. */
  readonly kind: FileKind;
}

export interface OpenReadOptions extends PathOptions {
  /** First byte to read. Default 0; past the end gives nothing. */
  readonly offset?: number | undefined;
  /** Bytes to read at the most. Default: to the end. */
  readonly length?: number | undefined;
  /** Refuse a link as the last part of the path (`not-a-file`). For files an agent may have replaced. */
  readonly noFollow?: boolean | undefined;
}

export interface ReadFileOptions extends OpenReadOptions {
  /** A longer read fails with `file-too-large`. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
}

export interface ReadFileResult {
  readonly bytes: Uint8Array;
  /** Of the file that was read. */
  readonly stat: FileStat;
}

export interface WriteFileOptions extends ChangeOptions {
  /** Fail with `file-exists` if something is there, links included. Default `false`. */
  readonly isExclusive?: boolean | undefined;
  /** Permission bits. Default: those of the file that is replaced, else 0o666 less the umask. */
  readonly mode?: number | undefined;
  /** Make missing parent directories. Default `true`. */
  readonly makeParents?: boolean | undefined;
  /** The `version` that the file must still have, else `file-changed`. */
  readonly ifMatches?: string | undefined;
  /** Sync file and directory to the device before returning. Default `false`. */
  readonly sync?: boolean | undefined;
  /** Refuse a link as the last part of the path rather than write through it. Default `false`. */
  readonly noFollow?: boolean | undefined;
}

export interface WriteFileResult {
  /** `false` where a rename would have lost a hard link, an owner or a mount, and it was written in place. */
  readonly atomic: boolean;
  readonly isNew: boolean;
  readonly stat: FileStat;
}

export interface AppendRecordOptions extends ChangeOptions {
  /**
   * Leave out a record that the file has already: a JSON object with the same `id` and `content`,
   * or, for any other line, the same bytes. Default `false`.
   */
  readonly skipExisting?: boolean | undefined;
  readonly sync?: boolean | undefined;
}

export interface AppendRecordResult {
  /** Records written; the others were there already. */
  readonly appended: number;
  /** A torn last line was found and closed off. */
  readonly closedTornLine: boolean;
  readonly sizeBytes: number;
}

export interface MakeDirectoryOptions extends PathOptions {
  /** Make missing parents and accept an existing directory. Default `true`. */
  readonly recursive?: boolean | undefined;
  readonly mode?: number | undefined;
}

export interface RemoveOptions extends ChangeOptions {
  /** Remove a directory with all that is in it. Default `false`. */
  readonly recursive?: boolean | undefined;
  /** Fail with `file-not-found` if nothing is there. Default `false`. */
  readonly mustExist?: boolean | undefined;
}

import type {
  BackgroundProcess,
  EndProcessesOptions,
  ListBackgroundOptions,
  StartBackgroundOptions,
} from './background.ts';
import type {
  AppendRecordOptions,
  AppendRecordResult,
  ChangeOptions,
  DirectoryEntry,
  FileStat,
  MakeDirectoryOptions,
  OpenReadOptions,
  PathOptions,
  ReadFileOptions,
  ReadFileResult,
  RemoveOptions,
  StatOptions,
  WriteFileOptions,
  WriteFileResult,
} from './files.ts';
import type { BackendProcess, ExecOptions, ExecResult, SpawnOptions } from './process.ts';
import type { GlobOptions, GlobResult, GrepOptions, GrepResult } from './search.ts';
import type { CopyTreeOptions, HashTreeOptions, ReadTreeOptions, TreeEntry, WriteTreeOptions } from './trees.ts';

/** What an engine can do beyond the contract. Nothing above a backend needs any of it. */
export interface BackendCapabilities {
  readonly pty: boolean;
  readonly ports: boolean;
  readonly watch: boolean;
  readonly snapshot: boolean;
}

/**
 * Says whether the process that left a lock behind is still there, so that a lock of a
 * process that died need not run out its lease.
 */
export interface LockOwner {
  /** Identity of this process, as it is written into a lock. */
  readonly id: string;
  /** `undefined` where it cannot be known: another machine, another process namespace. */
  isAlive(id: string): Promise<boolean | undefined>;
}

/**
 * Files, processes and search where the agent's disk is.
 *
 * Bytes in and bytes out, argument arrays and never a shell string. Paths are POSIX paths as the
 * agent sees them; a relative one is taken from `workdir`.
 *
 * Errors are `WorkspaceError`s; a command that ran and failed is a result and not an error.
 */
export interface Backend {
  /** `'local'`, `'docker'`, `'e2b'`, `'kubernetes'`, … */
  readonly kind: string;
  /** Absolute POSIX path of the workspace's directory, as the agent sees it. */
  readonly workdir: string;
  /**
   * Real paths that file tools must stay inside; `null` where the sandbox itself is the border.
   * Links that lead out of them are not followed by any file method.
   */
  readonly roots: readonly string[] | null;
  readonly capabilities: BackendCapabilities;
  readonly lockOwner?: LockOwner | undefined;

  /**
   * Runs a command to its end.
   *
   * @throws `exec-failed` if it could not be started at all.
   */
  exec(argv: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /**
   * Starts a command and hands over its streams.
   *
   * @throws `exec-failed`
   */
  spawn(argv: readonly string[], options?: SpawnOptions): Promise<BackendProcess>;
  /**
   * Starts a command that outlives this process, its output and exit status kept in files.
   *
   * @throws `exec-failed`
   */
  startBackground(argv: readonly string[], options?: StartBackgroundOptions): Promise<BackgroundProcess>;
  /** Every background command on record, ended ones included. */
  listBackground(options?: ListBackgroundOptions): Promise<readonly BackgroundProcess[]>;

  /** @throws `file-not-found`, `not-a-file`, `file-too-large`, `permission-denied`, `path-outside-root` */
  readFile(path: string, options?: ReadFileOptions): Promise<ReadFileResult>;
  /** As `readFile`, for content of any size. Cancel the stream to let go of the file. */
  openRead(path: string, options?: OpenReadOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Writes the whole file: a temporary file beside it, then a rename.
   *
   * @throws `file-exists` (with `isExclusive`), `file-changed` (with `ifMatches`), `not-a-file`,
   * `permission-denied`, `path-outside-root`
   */
  writeFile(path: string, content: Uint8Array | string, options?: WriteFileOptions): Promise<WriteFileResult>;
  /** As `writeFile`, for content of any size. The file appears when the source has ended well. */
  writeStream(
    path: string,
    content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
    options?: WriteFileOptions,
  ): Promise<WriteFileResult>;
  /**
   * Appends lines to a regular file, all of them or none.
   *
   * A torn last line is closed off first; a short write is taken back.
   */
  appendRecord(path: string, records: readonly string[], options?: AppendRecordOptions): Promise<AppendRecordResult>;

  /** `undefined` if there is nothing at `path`. Any other failure is an error. */
  stat(path: string, options?: StatOptions): Promise<FileStat | undefined>;
  /**
   * The path with every link followed. What does not exist yet is appended to the real path of
   * its nearest existing parent. @throws `path-invalid` on a loop of links
   */
  realPath(path: string, options?: PathOptions): Promise<string>;
  /** Sorted by name. @throws `file-not-found`, `not-a-directory` */
  readDirectory(path: string, options?: PathOptions): Promise<readonly DirectoryEntry[]>;
  makeDirectory(path: string, options?: MakeDirectoryOptions): Promise<void>;
  /** Nothing there is no error unless `mustExist`. Links are removed, never followed. */
  remove(path: string, options?: RemoveOptions): Promise<void>;
  /** Replaces a file at `to`. @throws `file-exists` if a directory that is not empty is there */
  rename(from: string, to: string, options?: ChangeOptions): Promise<void>;

  /**
   * Makes a directory out of many files in one go: it is written beside `directory` and renamed,
   * so that it appears whole or not at all. @throws `file-exists`
   */
  writeTree(
    directory: string,
    entries: Iterable<TreeEntry> | AsyncIterable<TreeEntry>,
    options?: WriteTreeOptions,
  ): Promise<void>;
  /** Many files in one go, sorted by path. @throws `file-not-found`, `limit-exceeded` */
  readTree(directory: string, options?: ReadTreeOptions): Promise<readonly TreeEntry[]>;
  /** Copies a directory as `writeTree` would. @throws `file-not-found`, `file-exists` */
  copyTree(from: string, to: string, options?: CopyTreeOptions): Promise<void>;
  /** SHA-256 in hex over sorted paths, modes and contents. */
  hashTree(directory: string, options?: HashTreeOptions): Promise<string>;

  /** File paths by pattern. @throws `search-unavailable`, `pattern-invalid`, `file-not-found` */
  glob(options: GlobOptions): Promise<GlobResult>;
  /** Lines by regular expression. @throws `search-unavailable`, `pattern-invalid`, `file-not-found` */
  grep(options: GrepOptions): Promise<GrepResult>;

  /**
   * Ends every process that was started through this backend, background commands too, recorded as
   * `closed`. Where others are attached to the same sandbox, background commands live on until the last
   * one of them does this.
   */
  endProcesses(options?: EndProcessesOptions): Promise<void>;
  /** `endProcesses()`, then lets go of everything. Idempotent. */
  close(): Promise<void>;
}

import { posix } from 'node:path';
import type {
  AppendRecordOptions,
  AppendRecordResult,
  Backend,
  BackendCapabilities,
  BackendProcess,
  BackgroundProcess,
  ChangeOptions,
  CopyTreeOptions,
  DirectoryEntry,
  EndProcessesOptions,
  ExecOptions,
  ExecResult,
  FileStat,
  GlobOptions,
  GlobResult,
  GrepOptions,
  GrepResult,
  HashTreeOptions,
  ListBackgroundOptions,
  LockOwner,
  Logger,
  MakeDirectoryOptions,
  OpenReadOptions,
  PathOptions,
  ReadFileOptions,
  ReadFileResult,
  ReadTreeOptions,
  RemoveOptions,
  SpawnOptions,
  StartBackgroundOptions,
  StatOptions,
  TreeEntry,
  WriteFileOptions,
  WriteFileResult,
  WriteTreeOptions,
} from '@agent-workspace/core';
import { silentLogger } from '@agent-workspace/core';
import { IndexFiles } from './files/records/index-files.ts';
import { RecordAppender } from './files/records/record-appender.ts';
import { makeDirectory, readDirectory, remove, rename, stat } from './files/entries.ts';
import { openRead } from './files/open-read.ts';
import { PathGuard } from './files/path-guard.ts';
import { readFile } from './files/read-file.ts';
import { resolveRealPath } from './files/real-path.ts';
import { TemporarySweeper } from './files/temporary-sweeper.ts';
import { type FileOperation, throwIfAborted, translating } from './files/translate-error.ts';
import { writeFile } from './files/write-file.ts';
import { LocalProcesses } from './processes/local-processes.ts';
import { LocalSearch } from './search/local-search.ts';
import { copyTree } from './trees/copy-tree.ts';
import { hashTree } from './trees/hash-tree.ts';
import { readTree } from './trees/read-tree.ts';
import { writeTree } from './trees/write-tree.ts';

export interface LocalBackendOptions {
  /** The workspace's directory. A relative one is taken from the current directory. */
  readonly workdir: string;
  /**
   * Directories, beside the workdir, that file tools may use, too.
   * `null` where there is no border, because a sandbox around this process is one. Default: none.
   */
  readonly roots?: readonly string[] | null | undefined;
  /** Default `'local'`. */
  readonly kind?: string | undefined;
  /** Added to the environment of every command. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** An `rg` binary. Default: the one that is installed with this package. */
  readonly ripgrepPath?: string | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
}

/** Files, processes and search of the machine that this process runs on. */
export class LocalBackend implements Backend {
  readonly kind: string;
  readonly workdir: string;
  readonly roots: readonly string[] | null;
  readonly capabilities: BackendCapabilities = { pty: false, ports: false, watch: false, snapshot: false };
  readonly #guard: PathGuard;
  readonly #logger: Logger;
  readonly #sweeper: TemporarySweeper;
  readonly #indexes: IndexFiles;
  readonly #appender: RecordAppender;
  readonly #processes: LocalProcesses;
  readonly #search: LocalSearch;

  constructor(options: LocalBackendOptions) {
    this.kind = options.kind ?? 'local';
    this.workdir = posix.resolve(options.workdir);
    this.roots =
      options.roots === null ? null : [this.workdir, ...(options.roots ?? []).map((root) => posix.resolve(root))];
    this.#logger = options.logger ?? silentLogger;
    this.#guard = new PathGuard(this.workdir, this.roots);
    this.#sweeper = new TemporarySweeper(this.#logger);
    this.#indexes = new IndexFiles(this.#guard, this.#logger);
    this.#appender = new RecordAppender({
      guard: this.#guard,
      indexes: this.#indexes,
      sweeper: this.#sweeper,
      logger: this.#logger,
    });
    this.#processes = new LocalProcesses({ workdir: this.workdir, env: options.env, logger: this.#logger });
    this.#search = new LocalSearch({ guard: this.#guard, ripgrepPath: options.ripgrepPath });
  }

  get lockOwner(): LockOwner | undefined {
    return this.#processes.lockOwner;
  }

  exec(argv: readonly string[], options?: ExecOptions): Promise<ExecResult> {
    return this.#processes.exec(argv, options);
  }

  spawn(argv: readonly string[], options?: SpawnOptions): Promise<BackendProcess> {
    return this.#processes.spawn(argv, options);
  }

  startBackground(argv: readonly string[], options?: StartBackgroundOptions): Promise<BackgroundProcess> {
    return this.#processes.startBackground(argv, options);
  }

  listBackground(options?: ListBackgroundOptions): Promise<readonly BackgroundProcess[]> {
    return this.#processes.listBackground(options);
  }

  readFile(path: string, options?: ReadFileOptions): Promise<ReadFileResult> {
    return this.#translating('read', path, () => readFile(this.#guard, path, options));
  }

  openRead(path: string, options?: OpenReadOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#translating('read', path, () => openRead(this.#guard, path, options));
  }

  writeFile(path: string, content: Uint8Array | string, options?: WriteFileOptions): Promise<WriteFileResult> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    return this.#translating('write', path, () =>
      writeFile(this.#guard, path, bytes, { ...options, sweeper: this.#sweeper }),
    );
  }

  writeStream(
    path: string,
    content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
    options?: WriteFileOptions,
  ): Promise<WriteFileResult> {
    return this.#translating('write', path, () =>
      writeFile(this.#guard, path, content, { ...options, sweeper: this.#sweeper }),
    );
  }

  appendRecord(path: string, records: readonly string[], options?: AppendRecordOptions): Promise<AppendRecordResult> {
    return this.#translating('append to', path, () => this.#appender.append(path, records, options));
  }

  stat(path: string, options?: StatOptions): Promise<FileStat | undefined> {
    return this.#translating('inspect', path, () => stat(this.#guard, path, options));
  }

  realPath(path: string, options?: PathOptions): Promise<string> {
    return this.#translating('resolve', path, () => {
      throwIfAborted(options?.signal, 'resolve', path);
      return resolveRealPath(this.#guard.absolute(path));
    });
  }

  readDirectory(path: string, options?: PathOptions): Promise<readonly DirectoryEntry[]> {
    return this.#translating('list', path, () => readDirectory(this.#guard, path, options));
  }

  makeDirectory(path: string, options?: MakeDirectoryOptions): Promise<void> {
    return this.#translating('create', path, () => makeDirectory(this.#guard, path, options));
  }

  remove(path: string, options?: RemoveOptions): Promise<void> {
    return this.#translating('remove', path, async () => {
      await this.#indexes.drop(await remove(this.#guard, path, options));
    });
  }

  rename(from: string, to: string, options?: ChangeOptions): Promise<void> {
    return this.#translating('rename', from, async () => {
      await this.#indexes.drop(rename(this.#guard, from, to, options));
    });
  }

  writeTree(
    directory: string,
    entries: Iterable<TreeEntry> | AsyncIterable<TreeEntry>,
    options?: WriteTreeOptions,
  ): Promise<void> {
    return this.#translating('write', directory, () =>
      writeTree(this.#guard, directory, entries, { ...options, logger: this.#logger, sweeper: this.#sweeper }),
    );
  }

  readTree(directory: string, options?: ReadTreeOptions): Promise<readonly TreeEntry[]> {
    return this.#translating('read', directory, () =>
      readTree(this.#guard, directory, { ...options, logger: this.#logger }),
    );
  }

  copyTree(from: string, to: string, options?: CopyTreeOptions): Promise<void> {
    return this.#translating('copy', from, () =>
      copyTree(this.#guard, from, to, { ...options, logger: this.#logger, sweeper: this.#sweeper }),
    );
  }

  hashTree(directory: string, options?: HashTreeOptions): Promise<string> {
    return this.#translating('hash', directory, () => hashTree(this.#guard, directory, options));
  }

  glob(options: GlobOptions): Promise<GlobResult> {
    return this.#translating('search', options.path ?? this.workdir, () => this.#search.glob(options));
  }

  grep(options: GrepOptions): Promise<GrepResult> {
    return this.#translating('search', options.path ?? this.workdir, () => this.#search.grep(options));
  }

  endProcesses(options: EndProcessesOptions = {}): Promise<void> {
    return this.#processes.endProcesses(options);
  }

  async close(): Promise<void> {
    this.#search.close();
    await this.#processes.close();
    await this.#sweeper.settle();
  }

  /** Errors name the path as the agent would have to, whatever it was relative to. */
  #translating<T>(operation: FileOperation, path: string, work: () => T | Promise<T>): Promise<T> {
    return translating(operation, posix.resolve(this.workdir, path), work);
  }
}

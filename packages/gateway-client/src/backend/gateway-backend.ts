import {
  type AppendRecordOptions,
  type AppendRecordResult,
  type Backend,
  type BackendCapabilities,
  type BackendProcess,
  type BackgroundProcess,
  type ChangeOptions,
  type CopyTreeOptions,
  type DirectoryEntry,
  type EndProcessesOptions,
  type ExecOptions,
  type ExecResult,
  type FileStat,
  GatewayUnauthorizedError,
  GatewayUnreachableError,
  type GlobOptions,
  type GlobResult,
  type GrepOptions,
  type GrepResult,
  type HashTreeOptions,
  type ListBackgroundOptions,
  type LockOwner,
  type Logger,
  type MakeDirectoryOptions,
  type OpenReadOptions,
  type PathOptions,
  type ReadFileOptions,
  type ReadFileResult,
  type ReadTreeOptions,
  type RemoveOptions,
  type SearchOptions,
  silentLogger,
  type SpawnOptions,
  type StartBackgroundOptions,
  type StatOptions,
  type TreeEntry,
  type WriteFileOptions,
  type WriteFileResult,
  type WriteTreeOptions,
} from '@agent-workspace/core';
import { attachmentSchemas, backgroundReference, routePath, ROUTES } from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { exec } from './exec.ts';
import { GatewayBackgroundProcess } from './gateway-background-process.ts';
import { spawn } from './gateway-process.ts';
import { openRead, readFile, readTree } from './read-content.ts';
import { writeFile, writeStream, writeTree } from './write-content.ts';

/** Of a search, where nothing is set. */
const DEFAULT_SEARCH_TIMEOUT_MS = 20_000;

export interface GatewayBackendOptions {
  readonly client: GatewayClient;
  /** The engine: `'docker'`, `'e2b'`, … */
  readonly kind: string;
  /** As the agent sees it. */
  readonly workdir: string;
  /** Environment variables that every command gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Of this host, so that another one does not take its background commands for left behind. */
  readonly attachmentId?: string | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
}

/** An attachment owns what it has started, for as long as the gateway knows it. */
function attachmentOwner(client: GatewayClient, id: string): LockOwner {
  return {
    id,
    async isAlive(attachmentId) {
      const { isAttached } = await client.json({
        operation: 'another attachment',
        method: 'GET',
        path: routePath(ROUTES.attachment, { id: attachmentId }),
        schema: attachmentSchemas().known,
        isRepeatable: true,
      });
      // A gateway that was started anew does not know yet who will come back to it.
      return isAttached ? true : undefined;
    },
  };
}

/** Files, processes and search of a sandbox, asked of the gateway inside. */
export class GatewayBackend implements Backend {
  readonly kind: string;
  readonly workdir: string;
  /** The sandbox itself is the border. */
  readonly roots = null;
  readonly capabilities: BackendCapabilities = { pty: false, ports: false, watch: false, snapshot: false };
  readonly lockOwner: LockOwner | undefined;
  readonly #client: GatewayClient;
  readonly #env: Readonly<Record<string, string>> | undefined;
  readonly #logger: Logger;
  #closing: Promise<void> | undefined;

  constructor(options: GatewayBackendOptions) {
    this.kind = options.kind;
    this.workdir = options.workdir;
    const { client, attachmentId } = options;
    this.lockOwner = attachmentId === undefined ? undefined : attachmentOwner(client, attachmentId);
    this.#client = client;
    this.#env = options.env;
    this.#logger = options.logger ?? silentLogger;
  }

  exec(argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    return exec(this.#client, argv, this.#withEnvironment(options), this.#logger);
  }

  spawn(argv: readonly string[], options: SpawnOptions = {}): Promise<BackendProcess> {
    return spawn(this.#client, argv, this.#withEnvironment(options), this.#logger);
  }

  async startBackground(argv: readonly string[], options: StartBackgroundOptions = {}): Promise<BackgroundProcess> {
    const record = await this.#client.operation('startBackground', { argv, ...this.#withEnvironment(options) });
    return new GatewayBackgroundProcess(this.#client, record);
  }

  async listBackground(options: ListBackgroundOptions = {}): Promise<readonly BackgroundProcess[]> {
    const { processes } = await this.#client.operation('listBackground', options, { isRepeatable: true });
    return processes.map((record) => new GatewayBackgroundProcess(this.#client, record));
  }

  readFile(path: string, options: ReadFileOptions = {}): Promise<ReadFileResult> {
    return readFile(this.#client, path, options);
  }

  openRead(path: string, options: OpenReadOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return openRead(this.#client, path, options);
  }

  writeFile(path: string, content: Uint8Array | string, options: WriteFileOptions = {}): Promise<WriteFileResult> {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    return writeFile(this.#client, path, bytes, options);
  }

  writeStream(
    path: string,
    content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
    options: WriteFileOptions = {},
  ): Promise<WriteFileResult> {
    return writeStream(this.#client, path, content, options);
  }

  appendRecord(
    path: string,
    records: readonly string[],
    { signal, ...options }: AppendRecordOptions = {},
  ): Promise<AppendRecordResult> {
    return this.#client.operation('appendRecord', { path, records, ...options }, { signal });
  }

  async stat(path: string, { signal, ...options }: StatOptions = {}): Promise<FileStat | undefined> {
    const { stat } = await this.#client.operation('stat', { path, ...options }, { signal, isRepeatable: true });
    return stat;
  }

  async realPath(path: string, { signal }: PathOptions = {}): Promise<string> {
    const answer = await this.#client.operation('realPath', { path }, { signal, isRepeatable: true });
    return answer.path;
  }

  async readDirectory(path: string, { signal }: PathOptions = {}): Promise<readonly DirectoryEntry[]> {
    const { entries } = await this.#client.operation('readDirectory', { path }, { signal, isRepeatable: true });
    return entries;
  }

  async makeDirectory(path: string, { signal, ...options }: MakeDirectoryOptions = {}): Promise<void> {
    await this.#client.operation('makeDirectory', { path, ...options }, { signal });
  }

  async remove(path: string, { signal, ...options }: RemoveOptions = {}): Promise<void> {
    await this.#client.operation('remove', { path, ...options }, { signal, timeoutMs: this.#longMs });
  }

  async rename(from: string, to: string, { signal, ...options }: ChangeOptions = {}): Promise<void> {
    await this.#client.operation('rename', { from, to, ...options }, { signal });
  }

  writeTree(
    directory: string,
    entries: Iterable<TreeEntry> | AsyncIterable<TreeEntry>,
    options: WriteTreeOptions = {},
  ): Promise<void> {
    return writeTree(this.#client, directory, entries, options);
  }

  readTree(directory: string, options: ReadTreeOptions = {}): Promise<readonly TreeEntry[]> {
    return readTree(this.#client, directory, options);
  }

  async copyTree(from: string, to: string, { signal, ...options }: CopyTreeOptions = {}): Promise<void> {
    await this.#client.operation('copyTree', { from, to, ...options }, { signal, timeoutMs: this.#longMs });
  }

  async hashTree(directory: string, { signal, ...options }: HashTreeOptions = {}): Promise<string> {
    const input = { directory, ...options };
    const { hash } = await this.#client.operation('hashTree', input, {
      signal,
      timeoutMs: this.#longMs,
      isRepeatable: true,
    });
    return hash;
  }

  glob({ signal, ...options }: GlobOptions): Promise<GlobResult> {
    const timeoutMs = this.#searchMs(options);
    return this.#client.operation('glob', options, { signal, timeoutMs, isRepeatable: true });
  }

  grep({ signal, ...options }: GrepOptions): Promise<GrepResult> {
    const timeoutMs = this.#searchMs(options);
    return this.#client.operation('grep', options, { signal, timeoutMs, isRepeatable: true });
  }

  async endProcesses(options: EndProcessesOptions = {}): Promise<void> {
    await (this.#closing ?? this.#endProcesses(options));
  }

  /** Ends what was started through it, and drops every connection. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #endProcesses({ background = [] }: EndProcessesOptions = {}): Promise<void> {
    const input = { background: background.map((process) => backgroundReference(process)) };
    try {
      await this.#client.operation('endProcesses', input, { withoutRecovery: true });
    } catch (error) {
      // A gateway that is gone, or is another one since, has ended nothing, and is not started for it: what is left
      // ends with the sandbox.
      if (!GatewayUnreachableError.isInstance(error) && !GatewayUnauthorizedError.isInstance(error)) throw error;
      this.#logger.warn('The gateway is gone, and its processes were not ended one by one.', { error });
    }
  }

  async #close(): Promise<void> {
    try {
      await this.#endProcesses();
    } catch (error) {
      // A gateway that is gone has nothing left to end.
      this.#logger.warn('Could not end the processes of a gateway.', { error });
    } finally {
      await this.#client.close();
    }
  }

  /** What a command asks for wins. */
  #withEnvironment<Options extends { readonly env?: Readonly<Record<string, string>> | undefined }>(
    options: Options,
  ): Options {
    return this.#env === undefined ? options : { ...options, env: { ...this.#env, ...options.env } };
  }

  get #longMs(): number {
    return this.#client.deadlines.longAnswerMs;
  }

  #searchMs({ timeoutMs = DEFAULT_SEARCH_TIMEOUT_MS }: SearchOptions): number {
    return Math.min(timeoutMs + this.#client.deadlines.answerMs, this.#longMs);
  }
}

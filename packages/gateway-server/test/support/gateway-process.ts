import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dispatcher, Pool } from 'undici';
import { gatewayBundle } from '../../src/bundle/gateway-bundle.ts';
import { encodeFrame, CONTENT_TYPES } from '@agent-workspace/gateway-protocol';

export interface GatewayProcessOptions {
  /** The node to run it with. Default: the one that runs this test. */
  readonly node?: string | undefined;
  /** In the place of `--socket …`. */
  readonly listen?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  /** Where to work, if it is there already. */
  readonly directory?: string | undefined;
}

export interface RequestOptions {
  readonly method?: Dispatcher.HttpMethod | undefined;
  /** `null`: none. Default: that of the first attachment. */
  readonly token?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  readonly body?: Dispatcher.DispatchOptions['body'];
  readonly signal?: AbortSignal | undefined;
  /** On a connection of its own, for a request that may cost it. */
  readonly isAlone?: boolean | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: Buffer;
  /** The body as JSON. */
  json(): unknown;
}

export const newToken = (): string => randomBytes(32).toString('base64url');

/** One line from a stream. */
async function readLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  let line = '';
  for await (const chunk of child.stdout) {
    line += String(chunk);
    if (line.includes('\n')) return line.trim();
  }
  throw new Error('The gateway ended before it was ready.');
}

/** The real, bundled gateway as a process of this machine, and a client of its API. */
export class GatewayProcess implements AsyncDisposable {
  readonly directory: string;
  readonly workdir: string;
  readonly adminSocket: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** Of the attachment `first`. */
  readonly token: string;
  /** Where it listens, if that is a port. */
  readonly port: number | undefined;
  readonly #connect: () => Pool;
  readonly #pool: Pool;
  readonly #stderr: Buffer[] = [];

  static async start(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
    const { node = process.execPath, listen, args = [] } = options;
    const directory = options.directory ?? (await realpath(await mkdtemp(join(tmpdir(), 'gateway-'))));
    const { path, ripgrep } = await gatewayBundle();
    const socket = join(directory, 'gateway.sock');
    const adminSocket = join(directory, 'admin.sock');
    const rg = ripgrep[process.arch === 'arm64' ? 'arm64' : 'x64'];
    const argv = [path, ...(listen ?? ['--socket', socket]), '--admin-socket', adminSocket, '--workdir', directory];
    const child = spawn(node, [...argv, '--kind', 'process', '--rg', rg, ...args]);
    const stderr: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => void stderr.push(chunk));
    // Taken where `--attach` is among the arguments.
    const token = newToken();
    child.stdin.end(`${JSON.stringify({ attachmentId: 'first', token, ttlMs: 600_000 })}\n`);
    const { port } = JSON.parse(await readLine(child)) as { readonly port?: number };
    const connect = (): Pool =>
      port === undefined ? new Pool('http://localhost', { socketPath: socket }) : new Pool(`http://127.0.0.1:${port}`);
    const gateway = new GatewayProcess({ directory, adminSocket, child, connect, stderr, port, token });
    try {
      if (!args.includes('--attach')) await gateway.attach('first', token);
      return gateway;
    } catch (error) {
      await gateway[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(parts: {
    readonly directory: string;
    readonly adminSocket: string;
    readonly child: ChildProcessWithoutNullStreams;
    readonly connect: () => Pool;
    readonly stderr: Buffer[];
    readonly port: number | undefined;
    readonly token: string;
  }) {
    this.token = parts.token;
    this.port = parts.port;
    this.directory = parts.directory;
    this.workdir = parts.directory;
    this.adminSocket = parts.adminSocket;
    this.child = parts.child;
    this.#connect = parts.connect;
    this.#pool = parts.connect();
    this.#stderr = parts.stderr;
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString();
  }

  /** As an engine does it: with the helper, which reads the token from its stdin. */
  async attach(attachmentId: string, token: string, ttlMs = 600_000): Promise<void> {
    const { path } = await gatewayBundle();
    const helper = spawn(this.child.spawnfile, [path, 'attach', '--admin-socket', this.adminSocket]);
    let problem = '';
    helper.stderr.on('data', (chunk: Buffer) => (problem += String(chunk)));
    helper.stdin.end(`${JSON.stringify({ attachmentId, token, ttlMs })}\n`);
    const [code] = await once(helper, 'close');
    if (code !== 0) throw new Error(problem);
  }

  /** An answer as it comes. */
  async open(path: string, options: RequestOptions = {}, pool: Pool = this.#pool): Promise<Dispatcher.ResponseData> {
    const { token = this.token, json, signal } = options;
    return pool.request({
      path,
      method: options.method ?? (json === undefined && options.body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': CONTENT_TYPES.json }),
        ...options.headers,
      },
      body: json === undefined ? (options.body ?? null) : JSON.stringify(json),
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(signal !== undefined && { signal }),
    });
  }

  async request(path: string, options: RequestOptions = {}): Promise<Answer> {
    const pool = options.isAlone === true ? this.#connect() : this.#pool;
    const { statusCode, headers, body } = await this.open(path, options, pool);
    const bytes = Buffer.from(await body.arrayBuffer());
    if (pool !== this.#pool) await pool.destroy();
    return { status: statusCode, headers, bytes, json: () => JSON.parse(String(bytes)) as unknown };
  }

  exec(argv: readonly string[], options: RequestOptions & { readonly streams?: boolean } = {}): Promise<Answer> {
    const { streams = false, ...rest } = options;
    return this.request('/exec', { ...rest, body: encodeFrame({ argv, hasStdin: false, streams, end: true }) });
  }

  async end(signal: NodeJS.Signals): Promise<readonly [number | null, NodeJS.Signals | null]> {
    if (this.child.exitCode !== null) return [this.child.exitCode, this.child.signalCode];
    this.child.kill(signal);
    return (await once(this.child, 'exit')) as [number | null, NodeJS.Signals | null];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
    if (this.child.signalCode === null) await this.end('SIGTERM');
    await rm(this.directory, { recursive: true, force: true });
  }
}

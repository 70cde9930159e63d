import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { requireEngine, TemporaryDirectory } from '@agent-workspace/testing';
import { createClient } from 'redis';
import type { RedisClient } from '../../src/storage/redis/index.ts';

const run = promisify(execFile);
const PROGRAM = 'redis-server';
const START_TIMEOUT_MS = 10_000;

/** A real Redis for one test file, on a socket in a directory of its own, which keeps nothing. */
export class RedisServer implements AsyncDisposable {
  readonly #directory: TemporaryDirectory;
  readonly #clients: { destroy(): void }[] = [];
  #process: ChildProcess | undefined;

  private constructor(directory: TemporaryDirectory) {
    this.#directory = directory;
  }

  static async isThere(): Promise<boolean> {
    return await requireEngine('redis', () => run(PROGRAM, ['--version']));
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await TemporaryDirectory.create());
    await server.start();
    return server;
  }

  get socketPath(): string {
    return this.#directory.at('redis.sock');
  }

  async start(): Promise<void> {
    const settings = { port: '0', unixsocket: this.socketPath, dir: this.#directory.path, save: '', appendonly: 'no' };
    const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(PROGRAM, options, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = child;
    const ready = Promise.withResolvers<void>();
    const late = setTimeout(() => ready.reject(new Error('redis-server did not start.')), START_TIMEOUT_MS);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('ready to accept connections')) ready.resolve();
    });
    child.once('exit', () => ready.reject(new Error(`redis-server ended: ${output}`)));
    try {
      await ready.promise;
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill();
    await exit;
  }

  /** A client that is connected; it waits for the server when that is away, as clients do by default. */
  async connect(): Promise<RedisClient> {
    const client = createClient({ socket: { path: this.socketPath, tls: false, reconnectStrategy: 50 } });
    // Told by what is asked of the client meanwhile.
    client.on('error', () => undefined);
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await this.stop();
    await this.#directory[Symbol.asyncDispose]();
  }
}

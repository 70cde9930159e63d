import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { requireEngine, TemporaryDirectory } from '@agent-workspace/testing';

const run = promisify(execFile);
const PROGRAM = 'redis-server';

export const hasRedis: boolean = await requireEngine('redis', () => run(PROGRAM, ['--version']));

/** A real Redis, on a socket in a directory of its own, which keeps nothing. */
export class RedisServer implements AsyncDisposable {
  readonly socket: string;
  readonly url: string;
  readonly #directory: TemporaryDirectory;
  readonly #child: ChildProcess;

  private constructor(directory: TemporaryDirectory, child: ChildProcess, socket: string) {
    this.#directory = directory;
    this.#child = child;
    this.socket = socket;
    this.url = `unix://${socket}`;
  }

  static async start(): Promise<RedisServer> {
    const directory = await TemporaryDirectory.create();
    const socket = directory.at('redis.sock');
    const settings = { port: '0', unixsocket: socket, dir: directory.path, save: '', appendonly: 'no' };
    const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(PROGRAM, options, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    while (!output.includes('ready to accept connections')) {
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      output += chunk.toString();
    }
    child.stdout.resume();
    return new RedisServer(directory, child, socket);
  }

  /** Leaves connections open, and answers nothing more. */
  suspend(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** For good. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.resume();
    this.#child.kill();
    await exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#directory[Symbol.asyncDispose]();
  }
}

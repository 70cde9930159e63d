import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';

/** A daemon that gets network interfaces of its own. */
const DAEMON = ['unshare', '--net', 'dockerd'] as const;
const READY_MS = 30_000;
const LOOK_MS = 50;

/** Why no second engine can be started here, or nothing. */
export async function whyNoSecondEngine(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it takes Linux';
  if (process.getuid?.() !== 0) return 'it takes root';
  try {
    const [command, ...prefix] = DAEMON;
    await promisify(execFile)(command, [...prefix, '--version']);
    return undefined;
  } catch (error) {
    return `it takes unshare and dockerd (${error instanceof Error ? error.message.trim() : String(error)})`;
  }
}

/** An engine of a test's own, apart from the machine's: with its own data, socket, containerd and network interfaces. */
export class SecondEngine implements AsyncDisposable {
  readonly #directory: string;
  #daemon: ChildProcess | undefined;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async start(): Promise<SecondEngine> {
    const engine = new SecondEngine(await mkdtemp(join(tmpdir(), 'aw-engine-')));
    await engine.startDaemon();
    return engine;
  }

  get #socketPath(): string {
    return join(this.#directory, 'docker.sock');
  }

  /** As in `DOCKER_HOST`. */
  get address(): string {
    return `unix://${this.#socketPath}`;
  }

  get docker(): Docker {
    return new Docker({ socketPath: this.#socketPath });
  }

  async startDaemon(): Promise<void> {
    const log = openSync(join(this.#directory, 'log'), 'a');
    const argv = [
      `--data-root=${join(this.#directory, 'data')}`,
      `--exec-root=${join(this.#directory, 'exec')}`,
      `--pidfile=${join(this.#directory, 'pid')}`,
      `--host=${this.address}`,
      '--bridge=none',
      '--iptables=false',
      '--ip6tables=false',
    ];
    // An engine without a bridge removes `docker0`, which is the machine's own engine's: so it gets interfaces of its own.
    const [command, ...prefix] = DAEMON;
    const daemon = spawn(command, [...prefix, ...argv], { stdio: ['ignore', log, log] });
    this.#daemon = daemon;
    const deadline = performance.now() + READY_MS;
    for (;;) {
      const answers = await this.docker.ping().then(
        () => true,
        () => false,
      );
      if (answers) return;
      if (daemon.exitCode !== null || performance.now() > deadline) throw new Error(await this.#logTail());
      await setTimeout(LOOK_MS);
    }
  }

  /** Ends it as an upgrade does: its containers are stopped. */
  async stopDaemon(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (daemon === undefined || daemon.exitCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopDaemon();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #logTail(): Promise<string> {
    const log = await readFile(join(this.#directory, 'log'), 'utf8');
    return `A second engine did not start: ${log.slice(-2_000)}`;
  }
}

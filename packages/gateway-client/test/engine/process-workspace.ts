import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { baseEnvironment } from '@agent-workspace/core';
import {
  type Connector,
  type GatewayInstallation,
  type Sandbox,
  SandboxedWorkspaceBase,
  type SandboxedWorkspaceOptions,
  type SandboxFile,
  type SandboxRunOptions,
  type SandboxRunResult,
  type SandboxStart,
} from '@agent-workspace/gateway-client';

export interface ProcessSandboxOptions {
  /** Absolute path of the workspace's directory. */
  readonly directory: string;
  /** What `gatewayBundle()` of `@agent-workspace/gateway-server` gives. */
  readonly bundle: {
    readonly path: string;
    readonly hash: string;
    readonly ripgrep: Readonly<Record<string, string>>;
  };
}

/** No sandbox at all: a directory, and a gateway that runs in it as a process of this machine. */
export class ProcessSandbox implements Sandbox {
  readonly kind = 'process';
  readonly isPersistent = true;
  readonly workdir: string;
  readonly gateway: GatewayInstallation;
  /** For sockets, whose paths are short, and what else is the gateway's own. */
  readonly #runtime: string;
  readonly #socket: string;

  constructor({ directory, bundle }: ProcessSandboxOptions) {
    this.workdir = directory;
    // Every host finds the same one, by the directory alone.
    const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
    this.#runtime = join(tmpdir(), `aw-${name}`);
    this.#socket = join(this.#runtime, 'gateway.sock');
    const program = join(this.#runtime, `${bundle.hash.slice(0, 16)}-${basename(bundle.path)}`);
    this.gateway = {
      node: process.execPath,
      bundle: program,
      ripgrep: bundle.ripgrep[process.arch],
      listen: ['--socket', this.#socket],
      adminSocket: join(this.#runtime, 'admin.sock'),
      pidFile: join(this.#runtime, 'gateway.pid'),
      logFile: join(this.#runtime, 'gateway.log'),
      files: [{ path: program, source: bundle.path }],
    };
  }

  async start(): Promise<SandboxStart> {
    await mkdir(this.#runtime, { recursive: true, mode: 0o700 });
    const made = await mkdir(this.workdir, { recursive: true });
    if (made !== undefined) return 'created';
    return (await this.#runningPid()) === undefined ? 'started' : 'found';
  }

  async run(argv: readonly string[], { stdin = '', signal }: SandboxRunOptions = {}): Promise<SandboxRunResult> {
    const [command = '', ...args] = argv;
    // What is the host's stays the host's: its environment does not go into the sandbox.
    const child = spawn(command, args, {
      cwd: this.workdir,
      env: baseEnvironment(process.env),
      ...(signal !== undefined && { signal }),
    });
    const exited = once(child, 'close') as Promise<[number | null]>;
    child.stdin.on('error', () => undefined).end(stdin);
    const [[exitCode], stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    return { exitCode: exitCode ?? -1, stdout, stderr };
  }

  async putFile({ path, source, mode = 0o644 }: SandboxFile): Promise<void> {
    await copyFile(source, path);
    await chmod(path, mode);
  }

  readonly connect: Connector = async ({ signal }) => {
    const socket = createConnection({ path: this.#socket, signal });
    await once(socket, 'connect');
    return socket;
  };

  async stop(): Promise<void> {
    const pid = await this.#runningPid();
    if (pid === undefined) return;
    process.kill(pid, 'SIGTERM');
    for (let looks = 0; looks < 1_000 && (await this.#runningPid()) !== undefined; looks++) await sleep(10);
    await rm(this.gateway.pidFile, { force: true });
  }

  async destroy(): Promise<void> {
    await this.stop();
    await rm(this.#runtime, { recursive: true, force: true });
    await rm(this.workdir, { recursive: true, force: true });
  }

  /** The gateway's process id, if it runs. */
  async #runningPid(): Promise<number | undefined> {
    try {
      const pid = Number(await readFile(this.gateway.pidFile, 'utf8'));
      // One that waits for its parent to look at it runs no more.
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      return stat.includes(') Z ') ? undefined : pid;
    } catch {
      return undefined;
    }
  }
}

export type ProcessWorkspaceOptions = SandboxedWorkspaceOptions & ProcessSandboxOptions;

/** A workspace on a {@link ProcessSandbox}. */
export class ProcessWorkspace extends SandboxedWorkspaceBase {
  readonly #options: ProcessWorkspaceOptions;

  constructor(options: ProcessWorkspaceOptions) {
    super(options);
    this.#options = options;
  }

  static async open(options: ProcessWorkspaceOptions): Promise<ProcessWorkspace> {
    const workspace = new ProcessWorkspace(options);
    await workspace.initialize();
    return workspace;
  }

  protected override createSandbox(): ProcessSandbox {
    return new ProcessSandbox(this.#options);
  }
}

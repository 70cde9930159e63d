import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxRunOptions, SandboxRunResult } from '@agent-workspace/gateway-client';
import { afterEach, beforeEach } from 'vitest';
import { ProcessSandbox, ProcessWorkspace, type ProcessWorkspaceOptions } from '../engine/process-workspace.ts';
import { bundle } from '../gateway-files.ts';

/** Keeps what goes into the sandbox on the way in. */
export class WatchedSandbox extends ProcessSandbox {
  readonly runs: { readonly argv: readonly string[]; readonly stdin: string | undefined }[] = [];

  override run(argv: readonly string[], options?: SandboxRunOptions): Promise<SandboxRunResult> {
    this.runs.push({ argv, stdin: options?.stdin });
    return super.run(argv, options);
  }
}

export class WatchedWorkspace extends ProcessWorkspace {
  watched: WatchedSandbox | undefined;
  readonly #options: ProcessWorkspaceOptions;

  constructor(options: ProcessWorkspaceOptions) {
    super(options);
    this.#options = options;
  }

  protected override createSandbox(): WatchedSandbox {
    this.watched = new WatchedSandbox(this.#options);
    return this.watched;
  }
}

/** A directory for each test of a file, and workspaces on it that end with the test. */
export class GatewayTests {
  /** Of the directory. */
  parent = '';
  readonly #opened: ProcessWorkspace[] = [];

  get directory(): string {
    return join(this.parent, 'workspace');
  }

  async start(): Promise<void> {
    this.parent = await mkdtemp(join(tmpdir(), 'aw-gateway-'));
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#opened.splice(0).map((workspace) => workspace.close()));
    await this.sandbox().destroy();
    await rm(this.parent, { recursive: true, force: true });
  }

  sandbox(): ProcessSandbox {
    return new ProcessSandbox({ directory: this.directory, bundle });
  }

  async open(options: Partial<ProcessWorkspaceOptions> = {}): Promise<WatchedWorkspace> {
    return this.initialize(new WatchedWorkspace({ directory: this.directory, bundle, ...options }));
  }

  /** Opens one that ends with the test. */
  async initialize<T extends ProcessWorkspace>(workspace: T): Promise<T> {
    this.#opened.push(workspace);
    await workspace.initialize();
    return workspace;
  }

  async gatewayPid(): Promise<number> {
    return Number(await readFile(this.sandbox().gateway.pidFile, 'utf8'));
  }

  async killGateway(): Promise<void> {
    process.kill(await this.gatewayPid(), 'SIGKILL');
  }
}

export function useGateway(): GatewayTests {
  const tests = new GatewayTests();
  beforeEach(() => tests.start());
  afterEach(() => tests.end());
  return tests;
}

export async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z ');
  return !stat.includes(') Z ');
}

export async function echo(workspace: ProcessWorkspace, text: string): Promise<string> {
  const { stdout } = await workspace.backend.exec(['echo', text]);
  return Buffer.from(stdout.head).toString().trim();
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from './client.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface ProcessOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The service as a process of its own, on a free port of loopback. */
export class ServiceProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<Exit>;
  stdout = '';
  stderr = '';

  constructor({ args, env = {} }: ProcessOptions) {
    const { AI_GATEWAY_API_KEY: _key, AGENT_SERVICE_TOKENS: _tokens, ...inherited } = process.env;
    this.#child = spawn(process.execPath, [MAIN, '--port', '0', ...args], {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (bytes: Buffer) => (this.stdout += bytes.toString()));
    this.#child.stderr?.on('data', (bytes: Buffer) => (this.stderr += bytes.toString()));
    this.#exited = once(this.#child, 'close').then(([code, signal]: unknown[]) => ({ code, signal }) as Exit);
  }

  /** One that answers. */
  static async start(options: ProcessOptions): Promise<ServiceProcess> {
    const started = new ServiceProcess(options);
    await Promise.race([
      started.#listening(),
      started.#exited.then(() => {
        throw new Error(`The service ended at its start: ${started.stdout}${started.stderr}`);
      }),
    ]);
    return started;
  }

  async #listening(): Promise<void> {
    while (!this.stdout.includes('listens on')) await once(this.#child.stdout ?? this.#child, 'data');
  }

  get url(): string {
    const [, url = ''] = /listens on (\S+) /u.exec(this.stdout) ?? [];
    return url;
  }

  client(token: string): Client {
    return new Client((path, init) => this.fetch(path, init), token);
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    return await fetch(`${this.url}${path}`, init);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async exit(): Promise<Exit> {
    return await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../agent-service/src/main.ts', import.meta.url));

/** The service's own, which a real browser has to be given. */
export const TOKEN = 'token-of-the-console-tests';

export interface ServiceProcessOptions {
  /** Beside those for its place and port. */
  readonly args?: readonly string[] | undefined;
}

/** The real service, as a process of its own, with data that outlive a restart and go at the end. */
export class ServiceProcess implements AsyncDisposable {
  readonly #args: readonly string[];
  readonly #basedir: string;
  /** The same after a restart. */
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(args: readonly string[], basedir: string, port: number) {
    this.#args = args;
    this.#basedir = basedir;
    this.#port = port;
  }

  static async start({ args = [] }: ServiceProcessOptions = {}): Promise<ServiceProcess> {
    const service = new ServiceProcess(args, await mkdtemp(join(tmpdir(), 'console-')), await unusedPort());
    await service.start();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async start(): Promise<void> {
    const child = spawn(
      process.execPath,
      [MAIN, '--basedir', this.#basedir, '--port', String(this.#port), '--drain', '0', ...this.#args],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, AGENT_SERVICE_TOKENS: JSON.stringify({ [TOKEN]: 'owner' }) },
      },
    );
    this.#child = child;
    createInterface(child.stderr).on('line', (line) => {
      if (!/"level":"(?:info|warn)"/u.test(line)) console.error(line);
    });
    for await (const line of createInterface(child.stdout)) {
      if (!line.includes(' listens on ')) continue;
      // What it says from now on is read and dropped, so that it never waits for a reader.
      child.stdout.resume();
      return;
    }
    throw new Error('The service ended before it listened. What it printed is above.');
  }

  /** Ends it, as `docker stop` does. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  /** Calls its API, as the tenant of {@link TOKEN}. */
  async call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(new URL(path, this.url), { ...init, headers });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }

  /** Says something to an agent, and waits until the turn is over. */
  async chat(agentId: string, sessionId: string, text: string, permissionMode = 'full'): Promise<void> {
    await (await this.#post(agentId, sessionId, { text, permissionMode })).text();
  }

  /** Says something to an agent, and leaves. The turn goes on. */
  async begin(agentId: string, sessionId: string, text: string): Promise<void> {
    await (await this.#post(agentId, sessionId, { text })).body?.cancel();
  }

  async #post(agentId: string, sessionId: string, body: unknown): Promise<Response> {
    const path = `v1/agents/${encodeURIComponent(agentId)}/sessions/${encodeURIComponent(sessionId)}/chat`;
    return this.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** The workspace of an agent, made if need be. */
  async workspaceOf(agentId: string): Promise<string> {
    const response = await this.call('v1/workspaces', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agentId, sessionId: 'prepared' }),
    });
    return ((await response.json()) as { readonly workspaceId: string }).workspaceId;
  }

  async putFile(workspaceId: string, path: string, content: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const query = new URLSearchParams({ path });
    await this.call(`v1/workspaces/${workspaceId}/files/content?${query}`, { method: 'PUT', body: content });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#basedir, { recursive: true, force: true });
  }
}

/**
 * A port that nobody listens on, and that the system gives to nobody who asks for any: those are above. So it is still
 * free when the service comes back.
 */
async function unusedPort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch {
      continue;
    } finally {
      server.close();
    }
  }
}

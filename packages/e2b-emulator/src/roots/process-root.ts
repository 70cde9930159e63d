import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { ENVD_PROGRAM, PROGRAM_DIRECTORY } from '../program-files.ts';
import { ENVD_PORT } from './call-envd.ts';
import { dialDirectly } from './dial-relay.ts';
import { PortClosedError } from './port-closed-error.ts';
import { signalSandbox } from './process-tree.ts';
import type { RootContext, RootProvider, RootRequest } from './root-provider.ts';
import type { SandboxRoot } from './sandbox-root.ts';

/**
 * Plain processes of this user with a directory of their own for a home. They see this machine's files,
 * ports and processes: what is kept apart is what they are told.
 */
export class ProcessRoots implements RootProvider {
  readonly kind = 'process';
  readonly #context: RootContext;

  constructor(context: RootContext) {
    this.#context = context;
  }

  /** This machine is the only template. */
  async prepare(): Promise<void> {}

  async create({ sandboxId }: RootRequest): Promise<SandboxRoot> {
    const directory = join(this.#context.directory, sandboxId);
    await mkdir(join(directory, 'home'), { recursive: true });
    return new ProcessRoot(sandboxId, directory, this.#context);
  }

  /** The directories of dead emulators go with the emulators' own; their processes have gone by then. */
  async removeLeftovers(): Promise<void> {}
}

class ProcessRoot implements SandboxRoot {
  readonly kind = 'process';
  readonly #sandboxId: string;
  readonly #directory: string;
  readonly #context: RootContext;
  #envd: ChildProcess | undefined;
  #address: { readonly path: string } | { readonly port: number; readonly host: string } | undefined;

  constructor(sandboxId: string, directory: string, context: RootContext) {
    this.#sandboxId = sandboxId;
    this.#directory = directory;
    this.#context = context;
  }

  async connect(port: number): Promise<Socket> {
    if (port === ENVD_PORT) {
      if (this.#address === undefined) throw new PortClosedError(port);
      return dialDirectly(this.#address, port);
    }
    try {
      return await dialDirectly({ port, host: '127.0.0.1' }, port);
    } catch {
      return dialDirectly({ port, host: '::1' }, port);
    }
  }

  async boot(): Promise<void> {
    const { envdPath } = this.#context;
    const argv = envdPath === undefined ? await this.#builtIn() : await this.#real(envdPath);
    const [command = '', ...rest] = argv;
    const envd = spawn(command, rest, {
      cwd: join(this.#directory, 'home'),
      env: { PATH: process.env['PATH'], E2B_SANDBOX_ID: this.#sandboxId },
      // Its stdin ends with this process, however that ends.
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    this.#envd = envd;
    envd.once('error', (error) =>
      this.#context.log(`envd of ${this.#sandboxId} could not be started: ${error.message}`),
    );
    await once(envd, 'spawn');
  }

  async #builtIn(): Promise<readonly string[]> {
    const path = join(this.#directory, `envd-${randomUUID().slice(0, 8)}.sock`);
    this.#address = { path };
    const home = join(this.#directory, 'home');
    return [process.execPath, join(PROGRAM_DIRECTORY, ENVD_PROGRAM), '--socket', path, '--sole-user-home', home];
  }

  async #real(envdPath: string): Promise<readonly string[]> {
    const port = await freePort();
    this.#address = { port, host: '127.0.0.1' };
    return [envdPath, '-isnotfc', '-no-cgroups', '-port', String(port)];
  }

  /** Its network is this machine's. */
  async setInternetAccess(isAllowed: boolean): Promise<void> {
    if (!isAllowed) this.#context.log(`${this.#sandboxId}: plain processes cannot be kept from the network`);
  }

  async pause(): Promise<void> {
    await signalSandbox(this.#sandboxId, this.#envd?.pid, 'SIGSTOP');
  }

  async resume(): Promise<void> {
    await signalSandbox(this.#sandboxId, this.#envd?.pid, 'SIGCONT');
  }

  async stopProcesses(): Promise<void> {
    const envd = this.#envd;
    if (envd === undefined) return;
    await signalSandbox(this.#sandboxId, envd.pid, 'SIGKILL');
    if (envd.exitCode === null && envd.signalCode === null) await once(envd, 'exit');
    this.#envd = undefined;
  }

  async destroy(): Promise<void> {
    await this.stopProcesses();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

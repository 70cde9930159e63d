import { type Logger, WorkspaceLostError } from '@agent-workspace/core';
import type {
  Connector,
  GatewayInstallation,
  GatewayRoute,
  Sandbox,
  SandboxFile,
  SandboxRunOptions,
  SandboxRunResult,
  SandboxStart,
} from '@agent-workspace/gateway-client';
import type { Sandbox as SdkSandbox } from 'e2b';
import { installPackages } from './bootstrap/install-packages.ts';
import { PATH_AROUND, SANDBOX_LAYOUT } from './bootstrap/layout.ts';
import { lookInside } from './bootstrap/look-inside.ts';
import { putFiles } from './commands/put-files.ts';
import { runCommand } from './commands/run-command.ts';
import { shellLine } from './commands/shell-line.ts';
import { openConnection } from './connection/open-connection.ts';
import { type SandboxRoute, sandboxRoute } from './connection/sandbox-route.ts';
import { asleep, notStarted } from './connection/unreachable.ts';
import { ControlPlane } from './control/control-plane.ts';
import { findAll, findOrCreate, type FoundSandbox } from './control/find-sandbox.ts';
import type { SandboxIdentity } from './control/identity.ts';
import {
  checkSandboxOptions,
  DEFAULT_GATEWAY_PORT,
  DEFAULT_REQUEST_TIMEOUT_MS,
  DEFAULT_TEMPLATE,
  DEFAULT_TIMEOUT_MS,
  type E2BSandboxOptions,
  STANDALONE,
} from './e2b-options.ts';
import { Life } from './life/life.ts';

/** For one of the short commands of the bootstrap. */
const RUN_TIMEOUT_MS = 60_000;

export interface SandboxOptions extends E2BSandboxOptions {
  readonly workspaceId: string;
  readonly logger: Logger;
  /** Whether anybody uses the workspace at this moment. */
  readonly isInUse: () => boolean;
}

interface Running {
  /** As it is connected to now. */
  sandbox: SdkSandbox;
  readonly route: SandboxRoute;
  gateway?: GatewayInstallation | undefined;
}

/** The E2B sandbox of a workspace. */
export class E2BSandbox implements Sandbox {
  readonly kind = 'e2b';
  readonly workdir: string;
  readonly isPersistent = true;
  readonly #options: SandboxOptions;
  readonly #identity: SandboxIdentity;
  readonly #life: Life;
  #control: ControlPlane | undefined;
  #running: Running | undefined;
  /** Of the last start, for what takes it back. */
  #sandboxId: string | undefined;
  #lost: WorkspaceLostError | undefined;
  #isDoomed = false;

  /** @throws `e2b-options-invalid` */
  constructor(options: SandboxOptions) {
    checkSandboxOptions(options);
    this.#options = options;
    const { managerId = STANDALONE, workspaceId, isInUse, logger } = options;
    this.#identity = { managerId, workspaceId };
    this.workdir = options.workdir ?? SANDBOX_LAYOUT.workdir;
    this.#life = new Life({ timeoutMs: this.#timeoutMs, isInUse, renew: () => this.#renew(), logger });
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  get #plane(): ControlPlane {
    this.#control ??= new ControlPlane(this.#options);
    return this.#control;
  }

  get #template(): string {
    return this.#options.template ?? DEFAULT_TEMPLATE;
  }

  get #port(): number {
    return this.#options.gatewayPort ?? DEFAULT_GATEWAY_PORT;
  }

  /** E2B's id of it, while it is attached to. */
  get sandboxId(): string | undefined {
    return this.#running?.sandbox.sandboxId;
  }

  /** It is gone for good: E2B has said so when it was asked. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  get isAsleep(): boolean {
    return this.#life.isOver && !this.#options.isInUse();
  }

  get gateway(): GatewayInstallation {
    const { gateway } = this.#use();
    if (gateway === undefined) throw notStarted();
    return gateway;
  }

  get route(): GatewayRoute {
    return this.#use().route;
  }

  /** @throws `e2b-request-failed`, `e2b-template-unsuitable`, `package-install-failed`, `workspace-lost` */
  async start({ signal }: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    const { metadata = {}, allowInternetAccess, mustExist = false, logger } = this.#options;
    const found = await findOrCreate(this.#plane, {
      identity: this.#identity,
      wanted: { template: this.#template, timeoutMs: this.#timeoutMs, metadata: { ...metadata }, allowInternetAccess },
      mustExist,
      signal,
      logger,
    });
    const { sandbox, how, grantedAt } = found;
    this.#lost = undefined;
    this.#sandboxId = sandbox.sandboxId;
    const sandboxUrl = this.#options.sandboxUrl ?? process.env['E2B_SANDBOX_URL'];
    const route = sandboxRoute(sandbox, { port: this.#port, sandboxUrl: sandboxUrl === '' ? undefined : sandboxUrl });
    this.#running = { sandbox, route };
    this.#life.grantedAt(grantedAt);
    this.#life.start();
    try {
      await this.#prepare(this.#running, how, signal);
      signal.throwIfAborted();
      return how;
    } catch (error) {
      await this.#takeBack(how);
      throw error;
    }
  }

  run(
    argv: readonly string[],
    options: SandboxRunOptions & { readonly timeoutMs?: number } = {},
  ): Promise<SandboxRunResult> {
    const running = this.#use();
    const { stdin, signal, timeoutMs = RUN_TIMEOUT_MS } = options;
    return runCommand({
      line: shellLine(argv, PATH_AROUND),
      stdin,
      signal,
      timeoutMs,
      sandbox: () => running.sandbox,
      confirm: (reason) => this.#confirm(reason),
    });
  }

  putFile(file: SandboxFile): Promise<void> {
    return this.#putFiles([file]);
  }

  readonly connect: Connector = async (options) => {
    const { route } = this.#use();
    if (this.isAsleep) throw asleep();
    await this.#life.wake();
    return openConnection(route.address, options);
  };

  /** Settles once it is awake, with as much time left as a request takes. @throws `workspace-lost`, `e2b-request-failed` */
  async wake(): Promise<void> {
    this.#use();
    await this.#life.wake();
  }

  /** Pauses it, with what is in its memory. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#life.stop();
    if (running === undefined || this.isLost || this.#isDoomed) return;
    const { sandboxId } = running.sandbox;
    if (await this.#plane.pause(sandboxId)) return;
    this.#options.logger.warn('A sandbox was gone when it was to be paused.', { sandboxId, ...this.#identity });
  }

  /** Removes the sandbox that the last `start()` gave. */
  async destroy(): Promise<void> {
    this.#running = undefined;
    this.#life.stop();
    const sandboxId = this.#sandboxId;
    if (sandboxId === undefined) return;
    await this.#plane.kill(sandboxId);
    this.#sandboxId = undefined;
  }

  /** It is to be destroyed next, so that `stop()` need not pause it. */
  doom(): void {
    this.#isDoomed = true;
  }

  /** Lets go of it, running as it is. */
  leave(): void {
    this.#running = undefined;
    this.#life.stop();
  }

  /** Removes every sandbox of this workspace, whoever made it. */
  async destroyAll(): Promise<void> {
    await this.destroy();
    for (const { sandboxId } of await findAll(this.#plane, this.#identity)) await this.#plane.kill(sandboxId);
  }

  #use(): Running {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#running === undefined) throw notStarted();
    return this.#running;
  }

  async #prepare(running: Running, how: FoundSandbox['how'], signal: AbortSignal): Promise<void> {
    const template = this.#template;
    const run = (argv: readonly string[], options?: { readonly timeoutMs: number }): Promise<SandboxRunResult> =>
      this.run(argv, { signal, ...options });
    const { gateway, files, missing } = await lookInside({
      run,
      template,
      workdir: this.workdir,
      port: this.#port,
      hosts: [running.route.address.hostname],
      replaces: how === 'started',
    });
    running.gateway = gateway;
    await this.#putFiles(missing);
    const { extraPip: pip = [], extraNpm: npm = [] } = this.#options;
    await installPackages({ pip, npm, files, template, run });
  }

  #putFiles(files: readonly SandboxFile[]): Promise<void> {
    const { sandbox } = this.#use();
    const requestTimeoutMs = this.#options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    return putFiles({ sandbox, files, requestTimeoutMs, run: (argv) => this.run(argv) });
  }

  /** Removes what this start has made, and has what it has woken sleep again. */
  async #takeBack(how: FoundSandbox['how']): Promise<void> {
    try {
      if (how === 'created') await this.destroy();
      else if (how === 'started') await this.stop();
      else this.leave();
    } catch (error) {
      this.leave();
      this.#options.logger.error('Could not take back the start of a sandbox.', { sandboxId: this.#sandboxId, error });
    }
  }

  async #renew(): Promise<void> {
    const running = this.#use();
    const { sandboxId } = running.sandbox;
    const at = Date.now();
    const sandbox = await this.#plane.connect(sandboxId, this.#timeoutMs);
    if (sandbox !== undefined) {
      running.sandbox = sandbox;
      this.#life.grantedAt(at);
      return;
    }
    await this.#throwIfLost(sandboxId);
  }

  /** Finds out what is behind an error that may say that the sandbox is gone. */
  async #confirm(reason: unknown): Promise<void> {
    const { sandboxId } = this.#use().sandbox;
    this.#options.logger.debug('E2B is asked about a sandbox that did not answer.', { sandboxId, error: reason });
    if ((await this.#throwIfLost(sandboxId)) === 'paused') await this.#life.renew();
  }

  /** @throws `workspace-lost` if E2B says, asked for this one sandbox, that there is none */
  async #throwIfLost(sandboxId: string): Promise<'running' | 'paused'> {
    const info = await this.#plane.info(sandboxId);
    if (info !== undefined) return info.state;
    const { workspaceId } = this.#identity;
    this.#lost = new WorkspaceLostError({ workspaceId, reason: `its sandbox ${sandboxId} is gone` });
    this.#life.stop();
    this.#options.logger.error('A sandbox is gone.', { sandboxId, workspaceId });
    throw this.#lost;
  }
}

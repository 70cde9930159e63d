import type { StartedBackend } from '@agent-workspace/core';
import { type Sandbox, SandboxedWorkspaceBase, type SandboxedWorkspaceOptions } from '@agent-workspace/gateway-client';
import type { E2BSandboxOptions } from './e2b-options.ts';
import { E2BSandbox } from './e2b-sandbox.ts';
import { holdingBackend } from './life/holding-backend.ts';

export interface E2BWorkspaceOptions extends SandboxedWorkspaceOptions, E2BSandboxOptions {}

/** A workspace in an E2B sandbox, which the agent sees as `/home/user/workspace`. */
export class E2BWorkspace extends SandboxedWorkspaceBase {
  readonly #e2b: E2BSandbox;

  /** @throws `e2b-options-invalid`, `mcp-declaration-invalid` */
  constructor(options: E2BWorkspaceOptions = {}) {
    super(options);
    this.#e2b = new E2BSandbox({
      ...options,
      workspaceId: this.workspaceId,
      logger: this.logger,
      isInUse: () => this.isInUse,
    });
  }

  /**
   * Makes a workspace and initializes it.
   *
   * @throws `e2b-options-invalid`, `e2b-request-failed`, `e2b-template-unsuitable`, `package-install-failed`,
   * `workspace-lost`, `gateway-start-failed`, `gateway-version-conflict`, `state-file-invalid`, `mcp-declaration-invalid`
   */
  static async open(
    options: E2BWorkspaceOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<E2BWorkspace> {
    const workspace = new E2BWorkspace(options);
    await workspace.initialize({ signal: options.signal });
    return workspace;
  }

  /** E2B's id of the sandbox, while the workspace is open. */
  get sandboxId(): string | undefined {
    return this.#e2b.sandboxId;
  }

  override get isAlive(): boolean {
    return super.isAlive && !this.#e2b.isLost;
  }

  override async initialize(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    using _hold = this.hold();
    await super.initialize(options);
  }

  /** Ends every process; the last one out pauses the sandbox. One that is gone has nothing left to end. */
  override async close(): Promise<void> {
    using _hold = this.hold();
    try {
      await super.close();
    } catch (error) {
      if (!this.#e2b.isLost) throw error;
      this.logger.warn('A workspace was closed whose sandbox is gone.', { workspaceId: this.workspaceId, error });
    }
  }

  /** Ends the workspace, and kills its sandbox. */
  override async destroy(): Promise<void> {
    this.#e2b.doom();
    try {
      await this.close();
    } catch (error) {
      this.logger.warn('A workspace that is destroyed could not be closed first.', { error });
    }
    await this.destroyBackend();
  }

  protected override createSandbox(): Sandbox {
    return this.#e2b;
  }

  protected override async startBackend(options: { readonly signal: AbortSignal }): Promise<StartedBackend> {
    const { backend, undo } = await super.startBackend(options);
    const holds = { hold: () => this.hold(), holdInBackground: () => this.holdInBackground() };
    return { backend: holdingBackend(backend, { ...holds, wake: () => this.#e2b.wake() }), undo };
  }

  protected override async destroyBackend(): Promise<void> {
    await this.#e2b.destroyAll();
  }
}

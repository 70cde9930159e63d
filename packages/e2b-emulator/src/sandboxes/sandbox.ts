import type { Duplex } from 'node:stream';
import type { SandboxRoot } from '../roots/sandbox-root.ts';
import { reachesInternet } from './internet-access.ts';
import { Lifetime } from './lifetime.ts';
import { MetricsLog, type SandboxMetric } from './metrics.ts';
import { type SandboxProblem, SandboxStateError } from './sandbox-error.ts';
import type { SandboxNetwork, SandboxSpec } from './sandbox-spec.ts';
import { startEnvd } from './start-envd.ts';
import { newToken } from './tokens.ts';

export type SandboxState = 'running' | 'pausing' | 'paused' | 'resuming' | 'killed';

/** What the sandbox tells whoever keeps it. */
export interface SandboxOwner {
  /** It has ended, and is not to be found any more. */
  readonly onKilled: (sandbox: Sandbox) => void;
  readonly onFailure: (message: string, error: unknown) => void;
}

export interface SandboxInit {
  readonly sandboxId: string;
  readonly spec: SandboxSpec;
  readonly root: SandboxRoot;
  readonly owner: SandboxOwner;
}

/** Resumed by a request, it lives at least this long. */
export const AUTO_RESUME_MS = 300_000;

const PAUSE_AGAIN_MS = 1_000;

/** One sandbox: its life, and what it was created with. */
export class Sandbox {
  readonly sandboxId: string;
  readonly spec: SandboxSpec;
  readonly envdAccessToken: string | undefined;
  /** Opens ports that are closed to the public. */
  readonly trafficAccessToken: string | undefined;
  readonly #root: SandboxRoot;
  readonly #owner: SandboxOwner;
  readonly #lifetime: Lifetime = new Lifetime(() => this.#onTimeout());
  readonly #metrics: MetricsLog = new MetricsLog();
  /** What is cut when the sandbox stands still or ends. */
  readonly #connections = new Set<() => void>();
  #state: SandboxState = 'running';
  /** The pause or resume in progress, or the last one. */
  #transition: Promise<unknown> = Promise.resolve();
  #hasMemory = true;
  #network: SandboxNetwork | undefined;
  #allowInternetAccess: boolean | undefined;
  #envdVersion = '';
  #destroyed: Promise<void> | undefined;

  private constructor({ sandboxId, spec, root, owner }: SandboxInit) {
    this.sandboxId = sandboxId;
    this.spec = spec;
    this.#root = root;
    this.#owner = owner;
    this.#network = spec.network;
    this.#allowInternetAccess = spec.allowInternetAccess;
    this.envdAccessToken = spec.isSecure ? newToken() : undefined;
    this.trafficAccessToken = spec.network?.allowPublicTraffic === false ? newToken() : undefined;
  }

  /** Starts envd in the root; a root in which it does not start is destroyed. */
  static async start(init: SandboxInit): Promise<Sandbox> {
    const sandbox = new Sandbox(init);
    try {
      if (!sandbox.#reachesInternet) await init.root.setInternetAccess(false);
      await sandbox.#boot();
    } catch (error) {
      await init.root.destroy();
      throw error;
    }
    sandbox.#lifetime.start(init.spec.timeoutMs);
    return sandbox;
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** As others see it: what is about to stand still counts as paused. */
  get publicState(): 'running' | 'paused' {
    return this.#state === 'pausing' || this.#state === 'paused' ? 'paused' : 'running';
  }

  get startedAt(): Date {
    return this.#lifetime.startedAt;
  }

  get endAt(): Date {
    return this.#lifetime.endAt;
  }

  /** The SDK asks by it which features there are. */
  get envdVersion(): string {
    return this.#envdVersion;
  }

  get network(): SandboxNetwork | undefined {
    return this.#network;
  }

  get allowInternetAccess(): boolean | undefined {
    return this.#allowInternetAccess;
  }

  /** Opens a connection to a port inside. */
  connect(port: number): Promise<Duplex> {
    return this.#root.connect(port);
  }

  /**
   * Remembers how to cut a connection.
   *
   * @returns to be called when the connection has ended by itself
   */
  track(cut: () => void): () => void {
    this.#connections.add(cut);
    return () => this.#connections.delete(cut);
  }

  /** Waits for the end of a pause or resume in progress. */
  async settled(): Promise<SandboxState> {
    await this.#transition;
    return this.#state;
  }

  /** @throws {SandboxStateError} unless it runs */
  setTimeout(durationMs: number): void {
    if (this.publicState !== 'running') throw new SandboxStateError(this.sandboxId, 'paused');
    this.#lifetime.setRemaining(durationMs);
  }

  extendTimeout(durationMs: number): void {
    this.#lifetime.extend(durationMs);
  }

  get #reachesInternet(): boolean {
    return reachesInternet(this.#network, this.#allowInternetAccess);
  }

  async updateNetwork(network: SandboxNetwork, allowInternetAccess: boolean | undefined): Promise<void> {
    const before = this.#reachesInternet;
    this.#network = { ...this.#network, ...network };
    this.#allowInternetAccess = allowInternetAccess;
    if (this.#reachesInternet !== before) await this.#root.setInternetAccess(!before);
  }

  async metrics(): Promise<readonly SandboxMetric[]> {
    if (this.#state === 'running') await this.#metrics.sample(this.#root, this.envdAccessToken);
    return this.#metrics.all;
  }

  /**
   * Makes it stand still. Without memory only the disk stays.
   *
   * @throws {SandboxStateError} unless it runs, or if it cannot be frozen, and then runs on
   */
  async pause({ keepsMemory }: { readonly keepsMemory: boolean }): Promise<void> {
    if (this.#state !== 'running') throw new SandboxStateError(this.sandboxId, problemOf(this.#state));
    this.#state = 'pausing';
    this.#lifetime.stop();
    this.#cutConnections();
    await this.#transit('paused', async () => {
      if (keepsMemory) await this.#freeze();
      else await this.#root.stopProcesses();
      this.#hasMemory = keepsMemory;
    });
  }

  /** A busy machine may refuse to freeze: then the sandbox goes on as before, and its end is tried again. */
  async #freeze(): Promise<void> {
    const remainingMs = this.#lifetime.endAt.getTime() - Date.now();
    try {
      await this.#root.pause();
    } catch (cause) {
      if (this.#state === 'pausing') {
        this.#state = 'running';
        this.#lifetime.setRemaining(Math.max(remainingMs, PAUSE_AGAIN_MS));
      }
      throw new SandboxStateError(this.sandboxId, 'unpausable', { cause });
    }
  }

  /**
   * Lets it go on, for that long from now.
   *
   * @throws {SandboxStateError} unless it is paused
   */
  async resume({ timeoutMs, reboots = false }: ResumeOptions): Promise<void> {
    if (this.#state !== 'paused') throw new SandboxStateError(this.sandboxId, problemOf(this.#state));
    this.#state = 'resuming';
    await this.#transit('running', async () => {
      if (this.#hasMemory) await this.#root.resume();
      if (this.#hasMemory && reboots) await this.#root.stopProcesses();
      if (!this.#hasMemory || reboots) await this.#boot();
      this.#hasMemory = true;
      this.#lifetime.start(timeoutMs);
    });
  }

  /** Ends it. Ended once, it stays so. */
  kill(): Promise<void> {
    if (this.#destroyed === undefined) {
      this.#destroyed = this.#destroy();
      this.#owner.onKilled(this);
    }
    return this.#destroyed;
  }

  async #destroy(): Promise<void> {
    this.#state = 'killed';
    this.#lifetime.stop();
    this.#cutConnections();
    // A root is not destroyed while it is being frozen; how that ended is its own caller's affair.
    await this.#transition.catch(() => undefined);
    await this.#root.destroy();
  }

  async #transit(to: SandboxState, change: () => Promise<void>): Promise<void> {
    const transition = change();
    this.#transition = transition.catch(() => undefined);
    try {
      await transition;
    } catch (error) {
      // Half changed is good for nothing.
      if (this.#state === 'pausing' || this.#state === 'resuming') await this.kill();
      throw error;
    }
    if (this.#state === 'killed') throw new SandboxStateError(this.sandboxId, 'gone');
    this.#state = to;
  }

  async #boot(): Promise<void> {
    const { template, envVars } = this.spec;
    const envd = {
      envVars: {
        ...this.#root.environment,
        E2B_SANDBOX: 'true',
        E2B_SANDBOX_ID: this.sandboxId,
        E2B_TEMPLATE_ID: template.templateId,
        ...envVars,
      },
      accessToken: this.envdAccessToken,
      defaultUser: 'user',
    };
    this.#envdVersion = await startEnvd(this.#root, envd);
  }

  #onTimeout(): void {
    const { onTimeout, pauseKeepsMemory } = this.spec;
    const end = onTimeout === 'pause' ? this.pause({ keepsMemory: pauseKeepsMemory }) : this.kill();
    end.catch((error: unknown) => this.#owner.onFailure(`sandbox ${this.sandboxId} did not end well`, error));
  }

  #cutConnections(): void {
    for (const cut of this.#connections) cut();
    this.#connections.clear();
  }
}

export interface ResumeOptions {
  readonly timeoutMs: number;
  /** Starts the disk anew also where the memory is there. Default: false. */
  readonly reboots?: boolean | undefined;
}

function problemOf(state: SandboxState): SandboxProblem {
  switch (state) {
    case 'running':
    case 'paused':
      return state;
    case 'pausing':
      return 'paused';
    case 'resuming':
      return 'busy';
    case 'killed':
      return 'gone';
  }
}

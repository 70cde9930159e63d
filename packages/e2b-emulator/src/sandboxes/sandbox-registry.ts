import { describeError } from '../describe-error.ts';
import type { RootProvider } from '../roots/root-provider.ts';
import { Sandbox } from './sandbox.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
import { bareSandboxId, newSandboxId } from './tokens.ts';

/** The sandboxes that are there. */
export class SandboxRegistry {
  readonly #roots: RootProvider;
  readonly #log: (message: string) => void;
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Creations and removals in progress: whoever closes waits for them. */
  readonly #pending = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(roots: RootProvider, log: (message: string) => void) {
    this.#roots = roots;
    this.#log = log;
  }

  get all(): readonly Sandbox[] {
    return [...this.#sandboxes.values()];
  }

  /** @param id maybe with a client's id behind it */
  find(id: string): Sandbox | undefined {
    return this.#sandboxes.get(bareSandboxId(id));
  }

  create(spec: SandboxSpec): Promise<Sandbox> {
    return this.#wait(this.#create(spec));
  }

  /** Ends one, and waits until nothing of it is left. */
  kill(sandbox: Sandbox): Promise<void> {
    return this.#wait(sandbox.kill());
  }

  /** Ends all. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#pending.size > 0 || this.#sandboxes.size > 0) {
      await Promise.allSettled([...this.#pending, ...this.all.map((sandbox) => this.kill(sandbox))]);
    }
  }

  async #create(spec: SandboxSpec): Promise<Sandbox> {
    if (this.#isClosed) throw new Error('The emulator is closing.');
    const sandboxId = newSandboxId();
    const root = await this.#roots.create({ sandboxId, template: spec.template.options });
    const sandbox = await Sandbox.start({
      sandboxId,
      spec,
      root,
      owner: {
        onKilled: (killed) => this.#onKilled(killed),
        onFailure: (message, error) => this.#log(`${message}: ${describeError(error)}`),
      },
    });
    this.#sandboxes.set(sandboxId, sandbox);
    return sandbox;
  }

  #onKilled(sandbox: Sandbox): void {
    this.#sandboxes.delete(sandbox.sandboxId);
    this.#wait(sandbox.kill()).catch((error: unknown) => {
      this.#log(`sandbox ${sandbox.sandboxId} could not be removed: ${describeError(error)}`);
    });
  }

  #wait<T>(work: Promise<T>): Promise<T> {
    const pending = work.finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
    return pending;
  }
}

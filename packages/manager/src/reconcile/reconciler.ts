import { type Logger, type Workspace, WorkspaceClosedError } from '@agent-workspace/core';
import type { ManagerEvents } from '../events/manager-events.ts';
import type { OpenWorkspaces } from '../lives/open-workspaces.ts';
import type { WorkspaceLives } from '../lives/workspace-lives.ts';
import type { ManagerStorage } from '../storage/manager-storage.ts';
import { type FoundSandbox, planReconciliation, type Reconciliation } from './reconciliation.ts';

/** Opened at once: what was left behind must not keep those who ask waiting. */
const ADOPTIONS_AT_ONCE = 4;

export interface ReconcilerOptions<W extends Workspace> {
  readonly storage: ManagerStorage;
  readonly isBound: boolean;
  readonly workspaces: OpenWorkspaces<W>;
  readonly lives: WorkspaceLives<W>;
  readonly events: ManagerEvents;
  readonly logger: Logger;
  readonly listSandboxes: () => Promise<readonly FoundSandbox[]>;
  readonly stopSandbox: (workspaceId: string) => Promise<void>;
  /** Refuses, by throwing, to begin anything more. */
  readonly admit: () => void;
}

/** Deals with the sandboxes that are there and that no living replica has open. */
export class Reconciler<W extends Workspace> {
  readonly #options: ReconcilerOptions<W>;
  /** Of those that nothing is known of: told already. */
  readonly #unknown = new Set<string>();
  #again: Promise<void> | undefined;

  constructor(options: ReconcilerOptions<W>) {
    this.#options = options;
  }

  /** Settles when what is to go has gone; what is adopted is opened by and by. */
  async run({ dryRun }: { readonly dryRun: boolean }): Promise<readonly Reconciliation[]> {
    const { workspaces, listSandboxes } = this.#options;
    const sandboxes = await listSandboxes();
    const isOpenHere = (workspaceId: string): boolean => workspaces.has(workspaceId);
    const plans = await Promise.all(sandboxes.map((sandbox) => this.#plan(sandbox, isOpenHere)));
    if (dryRun) return plans;
    this.#tellUnknown(plans);
    await Promise.all(sandboxes.map((sandbox, index) => this.#reap(sandbox, plans[index]?.action)));
    this.#adopt(sandboxes.filter((_sandbox, index) => plans[index]?.action === 'adopt'));
    return plans;
  }

  /**
   * As `run()`, by the clock: a replica that died counts as living for a while, and may have had no successor at whose
   * start to look. Without a storage nobody else's life is known of, and the start has dealt with all.
   */
  async runAgain(): Promise<void> {
    if (!this.#options.isBound) return;
    this.#again ??= this.#runAndTell().finally(() => {
      this.#again = undefined;
    });
    await this.#again;
  }

  async #runAndTell(): Promise<void> {
    const since = performance.now();
    try {
      await this.run({ dryRun: false });
    } catch (error) {
      this.#options.events.fail('reconcile', error, { since });
    }
  }

  #plan(sandbox: FoundSandbox, isOpenHere: (workspaceId: string) => boolean): Promise<Reconciliation> {
    const { storage, isBound } = this.#options;
    return planReconciliation(sandbox, { storage, isBound, isOpenHere });
  }

  /** Once of each, for as long as this process lives. */
  #tellUnknown(plans: readonly Reconciliation[]): void {
    if (!this.#options.isBound) return;
    for (const { workspaceId, action, reason } of plans) {
      if (reason !== 'owner-unknown' || this.#unknown.has(workspaceId)) continue;
      this.#unknown.add(workspaceId);
      const text =
        'The storage knows nothing of a sandbox of this service, whose data are kept: destroy() removes them.';
      this.#options.logger.warn(text, { workspaceId, action });
    }
  }

  async #reap(sandbox: FoundSandbox, action: Reconciliation['action'] | undefined): Promise<void> {
    if (action !== 'stop' && action !== 'remove') return;
    const { workspaces, lives, events, stopSandbox } = this.#options;
    const { workspaceId } = sandbox;
    // Asked for since the plan was made.
    if (workspaces.has(workspaceId)) return;
    const since = performance.now();
    let isReaped = false;
    try {
      await workspaces.keepShut(workspaceId, async () => {
        const isNobodys = async (): Promise<boolean> => (await this.#plan(sandbox, () => false)).action === action;
        const work = (): Promise<void> =>
          action === 'stop' ? stopSandbox(workspaceId) : lives.destroyNobodys(workspaceId);
        isReaped = await lives.reap(workspaceId, isNobodys, work);
      });
    } catch (error) {
      events.fail('reconcile', error, { workspaceId, since });
    }
    if (isReaped) events.emit({ type: 'workspace-reaped', workspaceId, durationMs: performance.now() - since });
  }

  #adopt(sandboxes: readonly FoundSandbox[]): void {
    const waiting = sandboxes[Symbol.iterator]();
    const work = async (): Promise<void> => {
      // A failed build has told of itself; the end of the manager is the end of this.
      for (const sandbox of waiting) await this.#adoptOne(sandbox).catch(() => undefined);
    };
    for (let count = 0; count < ADOPTIONS_AT_ONCE; count += 1) void work();
  }

  async #adoptOne(sandbox: FoundSandbox): Promise<void> {
    const { workspaces, storage, isBound, admit } = this.#options;
    const { workspaceId } = sandbox;
    // Another replica may have been quicker, or it was destroyed.
    const { action } = await this.#plan(sandbox, (id) => workspaces.has(id));
    if (action !== 'adopt') return;
    // Another replica may be at work on its end: nothing takes its place that is nobody's.
    const prepare = async (): Promise<void> => {
      if (isBound && (await storage.findOwner(workspaceId)) === undefined) {
        throw new WorkspaceClosedError({ workspaceId });
      }
    };
    await workspaces.use(workspaceId, () => undefined, { admit, prepare });
  }
}

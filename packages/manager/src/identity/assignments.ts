import { type Workspace, type WorkspaceKey, WorkspaceClosedError } from '@agent-workspace/core';
import type { WorkspaceLayout } from '../layout/workspace-layout.ts';
import type { PrewarmBuffer } from '../prewarm/prewarm-buffer.ts';
import type { ManagerStorage } from '../storage/manager-storage.ts';
import { bindingOf, firstWorkspaceId, type Isolation } from './isolation.ts';

export interface AssignmentsOptions {
  readonly isolation: Isolation;
  readonly storage: ManagerStorage;
  /** The storage outlives this process. */
  readonly isBound: boolean;
  /** Another one than ours. */
  readonly layout?: WorkspaceLayout | undefined;
  /** A workspace that is ready and nobody's yet. */
  readonly prewarmed?: Pick<PrewarmBuffer<Workspace>, 'reserve' | 'giveBack' | 'drop'> | undefined;
}

/** Which workspace a key has by the isolation that was chosen. */
export class Assignments {
  readonly #options: AssignmentsOptions;
  /** Ids need no memory where they are derived from the key alone. */
  readonly #areDerived: boolean;
  /** What was found out, for those that are open. */
  readonly #known = new Map<string, string>();
  readonly #bindingsOf = new Map<string, string[]>();

  constructor(options: AssignmentsOptions) {
    this.#options = options;
    this.#areDerived = !options.isBound && options.isolation !== 'per-session';
  }

  /** A returning key gets what it had; of two first ones that race, both get the same. */
  assign(key: WorkspaceKey): string | Promise<string> {
    const { isolation, layout } = this.#options;
    const binding = bindingOf(isolation, key);
    const known = this.#known.get(binding);
    if (known !== undefined) return known;
    if (this.#areDerived && layout?.findOlder === undefined) return this.#first(binding, key);
    return this.#find(binding, key);
  }

  /** What the key has, or would be given by a derived id: nothing is bound, and no slot is taken. */
  async find(key: WorkspaceKey): Promise<string> {
    const { isolation, layout, storage } = this.#options;
    const binding = bindingOf(isolation, key);
    const bound = this.#areDerived ? undefined : await storage.findBinding(binding);
    return bound ?? (await layout?.findOlder?.(isolation, key)) ?? this.#first(binding, key);
  }

  /**
   * For a workspace that the key was just assigned. Another replica may destroy it, with its binding, before it is
   * opened here. What was never bound stays so: a derived id, or that of a policy of one's own.
   *
   * @returns binds it again; throws `workspace-closed` where the key has another one by then
   */
  rebinding(workspaceId: string, key: WorkspaceKey): () => Promise<void> {
    const { isolation, storage } = this.#options;
    const binding = bindingOf(isolation, key);
    const isBound = !this.#areDerived && this.#known.get(binding) === workspaceId;
    return async () => {
      if (isBound && (await storage.bind(binding, workspaceId)) !== workspaceId) {
        throw new WorkspaceClosedError({ workspaceId });
      }
    };
  }

  /** It is looked up again: for an id that is open no more, another replica may change what is bound. */
  forget(workspaceId: string): void {
    for (const binding of this.#bindingsOf.get(workspaceId) ?? []) this.#known.delete(binding);
    this.#bindingsOf.delete(workspaceId);
  }

  async #find(binding: string, key: WorkspaceKey): Promise<string> {
    const { isolation, layout, storage } = this.#options;
    const bound = this.#areDerived ? undefined : await storage.findBinding(binding);
    const workspaceId = bound ?? (await this.#bindFirst(binding, key, await layout?.findOlder?.(isolation, key)));
    if (this.#known.get(binding) !== workspaceId) {
      this.#known.set(binding, workspaceId);
      this.#bindingsOf.set(workspaceId, [...(this.#bindingsOf.get(workspaceId) ?? []), binding]);
    }
    return workspaceId;
  }

  async #bindFirst(binding: string, key: WorkspaceKey, older: string | undefined): Promise<string> {
    if (this.#areDerived) return older ?? this.#first(binding, key);
    const { storage, prewarmed } = this.#options;
    const candidate = older ?? prewarmed?.reserve() ?? this.#first(binding, key);
    try {
      const bound = await storage.bind(binding, candidate);
      if (bound !== candidate) prewarmed?.giveBack(candidate);
      return bound;
    } catch (error) {
      // It may be bound all the same, and goes to no other key.
      await prewarmed?.drop(candidate);
      throw error;
    }
  }

  #first(binding: string, key: WorkspaceKey): string {
    const { isolation, layout } = this.#options;
    if (layout !== undefined && isolation !== 'per-session') return layout.deriveId(isolation, key);
    return firstWorkspaceId(isolation, binding);
  }
}

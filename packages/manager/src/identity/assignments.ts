import type { WorkspaceKey } from '@agent-workspace/core';
import type { ManagerStorage } from '../storage/manager-storage.ts';
import { bindingOf, firstWorkspaceId, type Isolation } from './isolation.ts';

export interface AssignmentsOptions {
  readonly isolation: Isolation;
  readonly storage: ManagerStorage;
  /** The storage outlives this process. */
  readonly isBound: boolean;
  /** A workspace that is ready and nobody's yet. */
  readonly prewarmed?: { reserve(): string | undefined; giveBack(workspaceId: string): void } | undefined;
}

/** Which workspace a key has by the isolation that was chosen. */
export class Assignments {
  readonly #options: AssignmentsOptions;
  /** What the storage has said, for those that are open. */
  readonly #known = new Map<string, string>();
  readonly #bindingsOf = new Map<string, string[]>();

  constructor(options: AssignmentsOptions) {
    this.#options = options;
  }

  /** A returning key gets what it had; of two first ones that race, both get the same. */
  assign(key: WorkspaceKey): string | Promise<string> {
    const { isolation, isBound } = this.#options;
    const binding = bindingOf(isolation, key);
    const known = this.#known.get(binding);
    if (known !== undefined) return known;
    // Derived ids need no memory.
    if (!isBound && isolation !== 'per-session') return firstWorkspaceId(isolation, binding);
    return this.#bind(binding);
  }

  /** The storage is asked again: for an id that is open no more, another replica may have changed what is bound. */
  forget(workspaceId: string): void {
    for (const binding of this.#bindingsOf.get(workspaceId) ?? []) this.#known.delete(binding);
    this.#bindingsOf.delete(workspaceId);
  }

  async #bind(binding: string): Promise<string> {
    const { isolation, storage, prewarmed } = this.#options;
    const workspaceId =
      (await storage.findBinding(binding)) ??
      (await this.#bindFirst(binding, prewarmed?.reserve() ?? firstWorkspaceId(isolation, binding)));
    if (this.#known.get(binding) !== workspaceId) {
      this.#known.set(binding, workspaceId);
      this.#bindingsOf.set(workspaceId, [...(this.#bindingsOf.get(workspaceId) ?? []), binding]);
    }
    return workspaceId;
  }

  async #bindFirst(binding: string, candidate: string): Promise<string> {
    const { storage, prewarmed } = this.#options;
    let bound: string | undefined;
    try {
      bound = await storage.bind(binding, candidate);
    } finally {
      if (bound !== candidate) prewarmed?.giveBack(candidate);
    }
    return bound;
  }
}

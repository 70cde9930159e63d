import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseUnavailableError } from '@agent-workspace/core';
import type { ManagerStorage, WorkLease } from './manager-storage.ts';

/** A replica that died is waited for no longer than this. */
const LEASE_TTL_MS = 15_000;
const RENEWAL_MS = 5_000;
/** Between two looks at a lease that another replica has: a tenth of the time that was waited, within these bounds. */
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;
/** The building of an image takes minutes. */
const PATIENCE_MS = 15 * 60_000;

export interface WorkLeasesOptions {
  readonly storage: ManagerStorage;
  readonly replicaId: string;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for a lease that another replica has. Default 900,000. */
  readonly patienceMs?: number | undefined;
}

/** Runs work on a workspace that no other replica does at the same time. */
export class WorkLeases {
  readonly #storage: ManagerStorage;
  readonly #replicaId: string;

  constructor({ storage, replicaId }: WorkLeasesOptions) {
    this.#storage = storage;
    this.#replicaId = replicaId;
  }

  /**
   * @param work gets a signal that is also aborted when the lease is lost
   * @throws `lease-unavailable`
   */
  async run<T>(
    workspaceId: string,
    work: (lease: WorkLease, options: { readonly signal: AbortSignal }) => Promise<T>,
    options: RunOptions = {},
  ): Promise<T> {
    const { signal } = options;
    const lease = await this.#acquire(workspaceId, options);
    const lost = new AbortController();
    const renewal = setInterval(() => void this.#renew(lease, lost), RENEWAL_MS);
    renewal.unref();
    try {
      const signals = [lost.signal, ...(signal === undefined ? [] : [signal])];
      return await work(lease, { signal: AbortSignal.any(signals) });
    } finally {
      clearInterval(renewal);
      // It expires by itself where it cannot be given back.
      await this.#storage.releaseLease(lease).catch(() => undefined);
    }
  }

  async #acquire(workspaceId: string, { signal, patienceMs = PATIENCE_MS }: RunOptions): Promise<WorkLease> {
    const since = performance.now();
    const options = { replicaId: this.#replicaId, ttlMs: LEASE_TTL_MS };
    for (;;) {
      signal?.throwIfAborted();
      const lease = await this.#storage.acquireLease(workspaceId, options);
      if (lease !== undefined) return lease;
      const waitedMs = Math.round(performance.now() - since);
      if (waitedMs >= patienceMs) throw new LeaseUnavailableError({ workspaceId, waitedMs });
      const pollMs = Math.min(Math.max(SHORTEST_POLL_MS, waitedMs / 10), LONGEST_POLL_MS);
      await sleep(pollMs, undefined, { signal });
    }
  }

  async #renew(lease: WorkLease, lost: AbortController): Promise<void> {
    const reason = new LeaseUnavailableError({ workspaceId: lease.workspaceId, waitedMs: 0 });
    try {
      const options = { replicaId: this.#replicaId, ttlMs: LEASE_TTL_MS };
      if (!(await this.#storage.renewLease(lease, options))) lost.abort(reason);
    } catch {
      // The next renewal may come through before it expires; where none does, the fence tells.
    }
  }
}

import { randomUUID } from 'node:crypto';
import { KubernetesOptionsInvalidError, ManagerStorageFailedError } from '@agent-workspace/core';
import { ClusterConnection, type KubernetesConnectionOptions } from '@agent-workspace/kubernetes';
import type { LeaseOptions, ManagerStorage, WorkLease } from '../manager-storage.ts';
import { Attachments } from './attachments.ts';
import { sweepBindings } from './bindings.ts';
import { ClusterRecords } from './cluster-records.ts';
import { Collector } from './collector.ts';
import type { StoredRecord } from './lease-object.ts';
import { ObservedSilence } from './observed-silence.ts';
import type { WorkspaceRecord } from './records.ts';
import { freshWorkspace, hasLease, isLeaseOver, kept } from './workspace-record.ts';

export interface KubernetesStorageOptions extends KubernetesConnectionOptions {
  /** Services that share a namespace and no tenants differ in it. Default `default`. */
  readonly service?: string | undefined;
  /** Milliseconds that the API server may take for each call. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between two looks for what is of no use any more; one replica looks for all. Default 600,000. */
  readonly collectIntervalMs?: number | undefined;
}

/** A busy cluster takes seconds at times. A replica has 30 for its heartbeat. */
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_COLLECT_INTERVAL_MS = 600_000;
/** Of a binding whose workspace is forgotten again and again meanwhile. */
const BIND_ATTEMPTS = 10;

/**
 * What the replicas of a service share, in the cluster itself: Lease objects of one namespace, one for each replica,
 * workspace and binding, and one for the service. It needs the verbs get, list, create, update and delete on
 * `leases` of `coordination.k8s.io` in that namespace, and nothing else.
 *
 * Whatever is said of a workspace is in its one object, so that each method is one compare-and-swap of it. A binding's
 * object holds for as long as the life that it names is the workspace's. A replica is dead when its object is gone:
 * the first who has seen no renewal of it for its whole duration deletes it.
 */
export class KubernetesStorage implements ManagerStorage {
  readonly #options: KubernetesStorageOptions;
  readonly #service: string;
  readonly #records: ClusterRecords;
  readonly #silence = new ObservedSilence();
  readonly #attachments: Attachments;
  readonly #collector: Collector;
  #connection: Promise<ClusterConnection> | undefined;

  constructor(options: KubernetesStorageOptions = {}) {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, collectIntervalMs = DEFAULT_COLLECT_INTERVAL_MS } = options;
    this.#options = options;
    this.#service = options.service ?? 'default';
    this.#records = new ClusterRecords({ connect: () => this.#connect(), service: this.#service, timeoutMs });
    const shared = { records: this.#records, silence: this.#silence };
    this.#attachments = new Attachments(shared);
    this.#collector = new Collector({
      ...shared,
      service: this.#service,
      attachments: this.#attachments,
      intervalMs: collectIntervalMs,
    });
  }

  async managerId(): Promise<string> {
    return await this.#do('managerId', () =>
      this.#records.change('service', this.#service, (stored) => {
        const known = stored?.record.managerId;
        if (known !== undefined) return { result: known };
        const managerId = randomUUID();
        return { next: { ...stored?.record, id: this.#service, managerId }, result: managerId };
      }),
    );
  }

  async findBinding(binding: string): Promise<string | undefined> {
    return await this.#do('findBinding', async () => this.#boundBy(await this.#records.read('binding', binding)));
  }

  async bind(binding: string, workspaceId: string): Promise<string> {
    return await this.#do('bind', async () => {
      for (let attempt = 0; attempt < BIND_ATTEMPTS; attempt += 1) {
        const bound = await this.#records.change('binding', binding, async (stored) => {
          const workspace = await this.#boundBy(stored);
          if (workspace !== undefined) return { result: { workspaceId: workspace, life: undefined } };
          const life = await this.#lifeOf(workspaceId);
          return { next: { id: binding, workspaceId, life }, result: { workspaceId, life } };
        });
        if (bound.life === undefined || (await this.#isLiving(workspaceId, bound.life))) return bound.workspaceId;
      }
      throw new Error(`the workspace ${JSON.stringify(workspaceId)} was forgotten again and again meanwhile`);
    });
  }

  async findOwner(workspaceId: string): Promise<string | undefined> {
    return await this.#do('findOwner', async () => (await this.#records.readWorkspace(workspaceId))?.record.owner);
  }

  async claim(workspaceId: string, userId: string): Promise<string> {
    return await this.#do('claim', () =>
      this.#records.change('workspace', workspaceId, (stored) => {
        const record = stored?.record ?? freshWorkspace(workspaceId);
        if (record.owner !== undefined) return { result: record.owner };
        return { next: { ...kept(record), isSlot: undefined, owner: userId }, result: userId };
      }),
    );
  }

  async markSlot(workspaceId: string): Promise<void> {
    await this.#do('markSlot', () =>
      this.#records.change('workspace', workspaceId, (stored) => {
        const record = stored?.record ?? freshWorkspace(workspaceId);
        if (record.owner !== undefined || record.isSlot === true) return { result: undefined };
        return { next: { ...kept(record), isSlot: true }, result: undefined };
      }),
    );
  }

  async isSlot(workspaceId: string): Promise<boolean> {
    return await this.#do(
      'isSlot',
      async () => (await this.#records.readWorkspace(workspaceId))?.record.isSlot === true,
    );
  }

  async acquireLease(workspaceId: string, { replicaId, ttlMs }: LeaseOptions): Promise<WorkLease | undefined> {
    return await this.#do('acquireLease', () =>
      this.#records.change<'workspace', WorkLease | undefined>('workspace', workspaceId, async (stored) => {
        // Its fence is told when it is there, since it can be collected until then.
        if (stored === undefined) return { next: freshWorkspace(workspaceId) };
        if (!isLeaseOver(stored, this.#silence)) return { result: undefined };
        const { record } = stored;
        const fence = (record.fence ?? (await this.#collectedFence())) + 1;
        this.#silence.forget(stored.name);
        return {
          next: { ...kept(record), fence, lease: { replicaId, ttlMs, renewals: 0 } },
          result: { workspaceId, fence },
        };
      }),
    );
  }

  async renewLease(lease: WorkLease, { replicaId, ttlMs }: LeaseOptions): Promise<boolean> {
    return await this.#ifHeld('renewLease', lease, (record) => ({
      ...record,
      lease: { replicaId, ttlMs, renewals: (record.lease?.renewals ?? 0) + 1 },
    }));
  }

  async releaseLease(lease: WorkLease): Promise<void> {
    await this.#ifHeld('releaseLease', lease, (record) => ({ ...record, lease: undefined }));
  }

  async heartbeat({ replicaId, ttlMs }: LeaseOptions): Promise<boolean> {
    const wasAlive = await this.#do('heartbeat', () =>
      this.#records.change('replica', replicaId, (stored) => ({
        next: { id: replicaId, ttlMs },
        result: stored !== undefined,
      })),
    );
    // One who has to be told that it was taken for dead is not told of anything else.
    if (wasAlive) await this.#do('collect', () => this.#collector.look());
    return wasAlive;
  }

  async attach(lease: WorkLease, replicaId: string): Promise<boolean> {
    return await this.#ifHeld('attach', lease, (record) => ({
      ...record,
      attached: [...new Set([...record.attached, replicaId])].toSorted(),
    }));
  }

  async detach(workspaceId: string, replicaId: string): Promise<void> {
    await this.#do('detach', () =>
      this.#records.change('workspace', workspaceId, (stored) => {
        if (stored?.record.attached.includes(replicaId) !== true) return { result: undefined };
        const attached = stored.record.attached.filter((id) => id !== replicaId);
        return { next: { ...kept(stored.record), attached }, result: undefined };
      }),
    );
  }

  async listAttached(workspaceId: string): Promise<readonly string[]> {
    return await this.#do('listAttached', async () => {
      const stored = await this.#records.readWorkspace(workspaceId);
      return stored === undefined ? [] : await this.#attachments.livingOf(stored);
    });
  }

  async forget(workspaceId: string): Promise<void> {
    await this.#do('forget', async () => {
      const life = await this.#records.change('workspace', workspaceId, (stored) => {
        if (stored === undefined) return { result: undefined };
        const { fence, lease } = stored.record;
        const next = { ...freshWorkspace(workspaceId), fence, lease };
        return { next, result: next.life };
      });
      // They mean nothing any more, and are in nobody's way.
      if (life !== undefined) await sweepBindings(this.#records, { id: workspaceId, life });
    });
  }

  /** Ends what it does by itself. It may be used again. */
  async close(): Promise<void> {
    await this.#collector.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The workspace that a binding leads to, if it still does. */
  async #boundBy(stored: StoredRecord<'binding'> | undefined): Promise<string | undefined> {
    if (stored === undefined) return undefined;
    const { workspaceId, life } = stored.record;
    return (await this.#isLiving(workspaceId, life)) ? workspaceId : undefined;
  }

  async #lifeOf(workspaceId: string): Promise<string> {
    return await this.#records.change('workspace', workspaceId, (stored) => {
      if (stored !== undefined) return { result: stored.record.life };
      const next = freshWorkspace(workspaceId);
      return { next, result: next.life };
    });
  }

  /** Whether a life goes on. One that is about to be collected does from now on, since a binding leads to it. */
  async #isLiving(workspaceId: string, life: string): Promise<boolean> {
    return await this.#records.change('workspace', workspaceId, (stored) => {
      if (stored === undefined || stored.record.life !== life) return { result: false };
      return stored.record.isLeaving === true ? { next: kept(stored.record), result: true } : { result: true };
    });
  }

  async #collectedFence(): Promise<number> {
    return (await this.#records.read('service', this.#service))?.record.collectedFence ?? 0;
  }

  async #ifHeld(
    operation: string,
    { workspaceId, fence }: WorkLease,
    change: (record: WorkspaceRecord) => WorkspaceRecord,
  ): Promise<boolean> {
    return await this.#do(operation, () =>
      this.#records.change('workspace', workspaceId, (stored) => {
        if (stored === undefined || !hasLease(stored.record, fence)) return { result: false };
        return { next: kept(change(stored.record)), result: true };
      }),
    );
  }

  async #connect(): Promise<ClusterConnection> {
    this.#connection ??= ClusterConnection.open(this.#options).catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return await this.#connection;
  }

  /** What the cluster says, and its silence, are told as ours. */
  async #do<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (KubernetesOptionsInvalidError.isInstance(cause)) throw cause;
      throw new ManagerStorageFailedError({ storage: 'kubernetes', operation }, { cause });
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { KubernetesRefusedError } from '@agent-workspace/core';
import type { ClusterConnection } from '@agent-workspace/kubernetes';
import { BatchedReads } from './batched-reads.ts';
import { CallQueue } from './call-queue.ts';
import { labelsOf, leaseObjectOf, type StoredRecord, storedRecord } from './lease-object.ts';
import { recordName } from './record-names.ts';
import type { RecordKind, Records } from './records.ts';

export interface ClusterRecordsOptions {
  readonly connect: () => Promise<ClusterConnection>;
  readonly service: string;
  /** Milliseconds for each call. */
  readonly timeoutMs: number;
}

/** What is to become of a record. Without a result it is decided again, on what was written. */
export type Decision<T, R> = { readonly next?: T | undefined; readonly result: R } | { readonly next: T };

type Call<T> = (cluster: ClusterConnection, options: CallOptions) => Promise<T>;
type CallOptions = Parameters<Parameters<ClusterConnection['call']>[1]>[0];

const NOT_FOUND = 404;
const CONFLICT = 409;
/** Of a change, until others leave it alone. */
const ATTEMPTS = 30;
const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 320;
const PAGE = 500;
/** As many connections to the API server. */
const CALLS_AT_ONCE = 16;

/**
 * The records of a service in the Lease objects of one namespace, one in each. An object is made where it is absent,
 * and replaced or deleted where it still has the version that was read.
 */
export class ClusterRecords {
  readonly #options: ClusterRecordsOptions;
  readonly #queue = new CallQueue(CALLS_AT_ONCE);
  readonly #workspaces = new BatchedReads<StoredRecord<'workspace'>>({
    readOne: (id) => this.read('workspace', id),
    readAll: () => this.#readAll('workspace'),
  });

  constructor(options: ClusterRecordsOptions) {
    this.#options = options;
  }

  /** As `read`, of a workspace that many others may be looked at with. */
  async readWorkspace(id: string): Promise<StoredRecord<'workspace'> | undefined> {
    return await this.#workspaces.read(id);
  }

  async read<K extends RecordKind>(kind: K, id: string): Promise<StoredRecord<K> | undefined> {
    const name = recordName(this.#options.service, kind, id);
    return await this.#queue.run(async () => {
      const askedAt = performance.now();
      const found = await this.#unless([NOT_FOUND], `read the Lease ${name}`, ({ coordination, namespace }, options) =>
        coordination.readNamespacedLease({ name, namespace }, options),
      );
      return found && storedRecord(kind, found, { ...this.#options, id, askedAt });
    });
  }

  /** Those of a kind that have these labels too, a page at a time. */
  async *list<K extends RecordKind>(
    kind: K,
    labels: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<StoredRecord<K>, void, undefined> {
    const { service } = this.#options;
    const selected = Object.entries({ ...labelsOf(service, kind), ...labels });
    const labelSelector = selected.map(([label, value]) => `${label}=${value}`).join(',');
    let _continue: string | undefined;
    do {
      const rest = _continue === undefined ? {} : { _continue };
      const askedAt = performance.now();
      const page = await this.#queue.run(() =>
        this.#ask('list the Leases of the service', ({ coordination, namespace }, options) =>
          coordination.listNamespacedLease({ namespace, labelSelector, limit: PAGE, ...rest }, options),
        ),
      );
      for (const item of page.items) yield storedRecord(kind, item, { service, askedAt });
      _continue = page.metadata?._continue;
    } while (_continue !== undefined && _continue !== '');
  }

  /**
   * Changes a record by what it is now, and decides again where somebody else has been quicker.
   *
   * @param decide may ask for more; what it decides is done only if the record is still the same
   */
  async change<K extends RecordKind, R>(
    kind: K,
    id: string,
    decide: (stored: StoredRecord<K> | undefined) => Decision<Records[K], R> | Promise<Decision<Records[K], R>>,
  ): Promise<R> {
    let stored = await this.read(kind, id);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const decision = await decide(stored);
      const { next } = decision;
      const written = next === undefined ? stored : await this.#write(kind, next, stored);
      const isOvertaken = next !== undefined && written === undefined;
      if (!isOvertaken && 'result' in decision) return decision.result;
      if (isOvertaken) await sleep(backoffMs(attempt));
      stored = isOvertaken ? await this.read(kind, id) : written;
    }
    throw new Error(`others have changed the ${kind} ${JSON.stringify(id)} ${ATTEMPTS} times meanwhile`);
  }

  /** Replaces a record unless somebody has changed it. @returns what it is now, if that was done */
  async replace<K extends RecordKind>(
    stored: StoredRecord<K>,
    record: Records[K],
  ): Promise<StoredRecord<K> | undefined> {
    return await this.#write(stored.kind, record, stored);
  }

  /** Removes a record unless somebody has changed it. @returns whether that was done, by whomever */
  async remove<K extends RecordKind>({ name, uid, version }: StoredRecord<K>): Promise<boolean> {
    const body = { preconditions: { uid, resourceVersion: version } };
    const removing = this.#queue.run(() =>
      this.#unless([NOT_FOUND], `delete the Lease ${name}`, ({ coordination, namespace }, options) =>
        coordination.deleteNamespacedLease({ name, namespace, body }, options),
      ),
    );
    return await removing.then(
      () => true,
      (error: unknown) => {
        if (hasStatus(error, [CONFLICT])) return false;
        throw error;
      },
    );
  }

  async #readAll<K extends RecordKind>(kind: K): Promise<ReadonlyMap<string, StoredRecord<K>>> {
    const all = new Map<string, StoredRecord<K>>();
    for await (const stored of this.list(kind)) all.set(stored.record.id, stored);
    return all;
  }

  async #write<K extends RecordKind>(
    kind: K,
    record: Records[K],
    stored: StoredRecord<K> | undefined,
  ): Promise<StoredRecord<K> | undefined> {
    const { service } = this.#options;
    const metadata = stored && { uid: stored.uid, resourceVersion: stored.version };
    const body = leaseObjectOf(service, kind, record, metadata);
    const name = recordName(service, kind, record.id);
    return await this.#queue.run(async () => {
      const askedAt = performance.now();
      const written = await (stored === undefined
        ? this.#unless([CONFLICT], `create the Lease ${name}`, ({ coordination, namespace }, options) =>
            coordination.createNamespacedLease({ namespace, body }, options),
          )
        : this.#unless([CONFLICT, NOT_FOUND], `replace the Lease ${name}`, ({ coordination, namespace }, options) =>
            coordination.replaceNamespacedLease({ name, namespace, body }, options),
          ));
      return written && storedRecord(kind, written, { service, id: record.id, askedAt });
    });
  }

  async #unless<T>(statuses: readonly number[], operation: string, call: Call<T>): Promise<T | undefined> {
    try {
      return await this.#ask(operation, call);
    } catch (error) {
      if (hasStatus(error, statuses)) return undefined;
      throw error;
    }
  }

  async #ask<T>(operation: string, call: Call<T>): Promise<T> {
    const { connect, timeoutMs } = this.#options;
    const cluster = await connect();
    return await cluster.call(operation, (options) => call(cluster, options), { timeoutMs });
  }
}

function hasStatus(error: unknown, statuses: readonly number[]): boolean {
  return KubernetesRefusedError.isInstance(error) && statuses.includes(error.details.status);
}

/** At random up to a time that doubles, so that those who have met do not meet again. */
function backoffMs(attempt: number): number {
  return Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** attempt, LONGEST_BACKOFF_MS);
}

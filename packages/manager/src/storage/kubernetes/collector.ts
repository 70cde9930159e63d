import type { Attachments } from './attachments.ts';
import { sweepBindings } from './bindings.ts';
import type { ClusterRecords } from './cluster-records.ts';
import { LABELS, type StoredRecord } from './lease-object.ts';
import type { ObservedSilence } from './observed-silence.ts';
import { isLeaseOver } from './workspace-record.ts';

export interface CollectorOptions {
  readonly records: ClusterRecords;
  readonly silence: ObservedSilence;
  readonly attachments: Attachments;
  readonly service: string;
  readonly intervalMs: number;
}

/** Of a turn; what is left over is the next one's. */
const MOST_COLLECTED = 500;

/**
 * Removes what is of no use any more: replicas that died, and workspaces that have no owner, no lease, no binding
 * and no replica, and are no slots, whose sandboxes are known by that alone. One replica does it for all in each turn.
 *
 * The fence of a workspace grows over its object's end: before an object is deleted, the fence that all new ones begin
 * above is raised to its own; and a new one reads that fence when its object is there already.
 *
 * A binding that is being made keeps its workspace: the collector marks a workspace first, then looks for bindings,
 * then deletes what is marked and unchanged; who binds writes the binding first, then looks for the mark and takes
 * it away. One of the two sees the other.
 */
export class Collector {
  readonly #options: CollectorOptions;
  #nextLookAt = -Infinity;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isStopping = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Begins a turn by itself if it is time and nobody else's. @throws what the last one failed with */
  async look(): Promise<void> {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    if (performance.now() < this.#nextLookAt || this.#running !== undefined) return;
    this.#isStopping = false;
    this.#running = this.#takeTurn()
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#nextLookAt = performance.now() + this.#options.intervalMs;
        this.#running = undefined;
      });
  }

  /** Settles when nothing is done any more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** A turn is anyone's when there was none for a whole interval. */
  async #takeTurn(): Promise<void> {
    const { records, silence, service, intervalMs } = this.#options;
    const isOurs = await records.change('service', service, (stored) => {
      if (stored === undefined) return { next: { id: service, turns: 0 }, result: false };
      const { record, name, askedAt } = stored;
      const { turns = 0 } = record;
      if (silence.note(name, String(turns), askedAt) < intervalMs) return { result: false };
      silence.note(name, String(turns + 1), askedAt);
      return { next: { ...record, turns: turns + 1 }, result: true };
    });
    if (isOurs) await this.collect();
  }

  /** One turn. */
  async collect(): Promise<void> {
    const { records, attachments, service } = this.#options;
    for await (const replica of records.list('replica')) {
      if (this.#isStopping) return;
      await attachments.bury(replica);
    }
    const left: StoredRecord<'workspace'>[] = [];
    for await (const workspace of records.list('workspace', { [LABELS.ownerless]: 'true' })) {
      if (this.#isStopping || left.length >= MOST_COLLECTED) break;
      const marked = await this.#mark(workspace);
      if (marked !== undefined && !(await sweepBindings(records, marked.record))) left.push(marked);
    }
    if (left.length === 0 || this.#isStopping) return;
    const fence = Math.max(...left.map(({ record }) => record.fence ?? 0));
    await records.change('service', service, (stored) => {
      const { collectedFence = 0, ...record } = stored?.record ?? { id: service };
      return collectedFence >= fence
        ? { result: undefined }
        : { next: { ...record, collectedFence: fence }, result: undefined };
    });
    for (const workspace of left) await records.remove(workspace);
  }

  /** @returns the workspace with its mark, unless somebody needs it */
  async #mark(workspace: StoredRecord<'workspace'>): Promise<StoredRecord<'workspace'> | undefined> {
    const { records, silence, attachments } = this.#options;
    if (!isLeaseOver(workspace, silence) || (await attachments.livingOf(workspace)).length > 0) return undefined;
    const { record } = workspace;
    return record.isLeaving === true ? workspace : await records.replace(workspace, { ...record, isLeaving: true });
  }
}

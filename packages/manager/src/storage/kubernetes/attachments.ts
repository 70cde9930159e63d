import type { ClusterRecords } from './cluster-records.ts';
import type { StoredRecord } from './lease-object.ts';
import type { ObservedSilence } from './observed-silence.ts';
import { kept } from './workspace-record.ts';

export interface AttachmentsOptions {
  readonly records: ClusterRecords;
  readonly silence: ObservedSilence;
}

/** Which replicas have a workspace open, of those that live. */
export class Attachments {
  readonly #records: ClusterRecords;
  readonly #silence: ObservedSilence;

  constructor({ records, silence }: AttachmentsOptions) {
    this.#records = records;
    this.#silence = silence;
  }

  /** Those that are dead are forgotten of it. */
  async livingOf(stored: StoredRecord<'workspace'>): Promise<readonly string[]> {
    const { attached } = stored.record;
    const lives = await Promise.all(attached.map(async (id) => await this.#isLiving(id)));
    const living = attached.filter((_id, index) => lives[index]);
    // In vain where somebody has changed it meanwhile. One who comes to life again attaches again.
    if (living.length < attached.length)
      await this.#records.replace(stored, { ...kept(stored.record), attached: living });
    return living;
  }

  /** Removes a replica that has been silent for too long. Then all take it for dead, and so is it told by its next heartbeat. */
  async bury(replica: StoredRecord<'replica'>): Promise<boolean> {
    const silentMs = this.#silence.note(replica.name, `${replica.uid}:${replica.version}`, replica.askedAt);
    if (silentMs < replica.record.ttlMs || !(await this.#records.remove(replica))) return false;
    this.#silence.forget(replica.name);
    return true;
  }

  async #isLiving(replicaId: string): Promise<boolean> {
    const replica = await this.#records.read('replica', replicaId);
    return replica !== undefined && !(await this.bury(replica));
  }
}

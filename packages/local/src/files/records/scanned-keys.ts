import { recordKey } from '@agent-workspace/core';
import type { Pacer } from '../pacer.ts';
import type { KnownRecords } from './record-index.ts';
import { scanRecords } from './scan-records.ts';

/** The records of a file by reading all of it, for where no index can be kept. */
export class ScannedKeys implements KnownRecords {
  readonly directory = undefined;
  readonly #keys = new Set<string>();

  static async of(descriptor: number, sizeBytes: number, pacer: Pacer): Promise<ScannedKeys> {
    const keys = new ScannedKeys();
    for await (const { line } of scanRecords(descriptor, { from: 0, to: sizeBytes }, pacer)) {
      keys.#keys.add(recordKey(line).toString('latin1'));
    }
    return keys;
  }

  has(key: Buffer): Promise<boolean> {
    return Promise.resolve(this.#keys.has(key.toString('latin1')));
  }

  add(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    this.#keys.clear();
  }
}

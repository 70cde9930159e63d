import { closeSync, constants, fstatSync, readSync, renameSync, writeSync } from 'node:fs';
import { posix } from 'node:path';
import { NotAFileError, recordKey } from '@agent-workspace/core';
import { readFully, syncDescriptor, writeFully } from '../descriptor.ts';
import { openRegular } from '../open-regular.ts';
import type { Pacer } from '../pacer.ts';
import { TemporaryFile } from '../temporary-file.ts';
import { isErrno } from '../translate-error.ts';
import { decodeHeader, encodeHeader, fingerprintBefore, HEADER_BYTES, type IndexHeader } from './index-header.ts';
import { readRecord, scanRecords } from './scan-records.ts';
import {
  capacityFor,
  firstIndex,
  isRoomy,
  keyPrefix,
  placeSlot,
  readSlot,
  type Slot,
  SLOT_BYTES,
  writeSlot,
} from './slot-table.ts';

/** Slots read at a time; a look-up rarely needs more than one read. */
const PROBE_SLOTS = 64;
/** It tells nothing that the file does not, but is no one's to read either. */
const PRIVATE_MODE = 0o600;
const EMPTY: IndexHeader = { coveredBytes: 0, count: 0, capacity: 0, fingerprint: Buffer.alloc(0) };

/** The records that a file has. */
export interface KnownRecords extends Disposable {
  /** Real path of what it is kept in; `undefined` if it is kept in memory alone. */
  readonly directory: string | undefined;
  has(key: Buffer): Promise<boolean>;
  /** Takes note of records that the file has now, and that all below `coveredBytes` is known. */
  add(slots: readonly Slot[], coveredBytes: number, sync: boolean): Promise<void>;
}

export interface RecordIndexOptions {
  /** Real path of the index file. */
  readonly path: string;
  /** Of the file that is indexed, open for reading. */
  readonly descriptor: number;
  readonly sizeBytes: number;
  readonly pacer: Pacer;
}

/**
 * Which records a file has, in a hash table on disk, so that finding one costs the same however
 * many there are: nothing is loaded, and nothing is kept in memory that another process could
 * make untrue.
 *
 * The file itself has the last word. A hit is compared with the line that it points to, so a wrong
 * slot is never a record taken for stored. The index is written after the records; those that it
 * does not cover yet, because of a crash or another writer, are read when it is opened. An index
 * that is damaged, or of another file, is made anew.
 */
export class RecordIndex implements KnownRecords {
  readonly #path: string;
  readonly #records: number;
  #header: IndexHeader;
  /** Of the index file; `undefined` while there is none. */
  #descriptor: number | undefined;

  private constructor(options: RecordIndexOptions, header: IndexHeader, descriptor: number | undefined) {
    this.#path = options.path;
    this.#records = options.descriptor;
    this.#header = header;
    this.#descriptor = descriptor;
  }

  static async open(options: RecordIndexOptions): Promise<RecordIndex> {
    const found = await openIndexFile(options);
    const index = new RecordIndex(options, found?.header ?? EMPTY, found?.descriptor);
    try {
      await index.#cover(options);
      return index;
    } catch (error) {
      index[Symbol.dispose]();
      throw error;
    }
  }

  get directory(): string {
    return posix.dirname(this.#path);
  }

  async has(key: Buffer): Promise<boolean> {
    const prefix = keyPrefix(key);
    for (const slot of this.#probe(prefix)) {
      if (slot.prefix !== prefix || slot.offset >= this.#header.coveredBytes) continue;
      if (recordKey(await readRecord(this.#records, slot.offset)).equals(key)) return true;
    }
    return false;
  }

  async add(slots: readonly Slot[], coveredBytes: number, sync: boolean): Promise<void> {
    const fingerprint = await fingerprintBefore(this.#records, coveredBytes);
    const count = this.#header.count + slots.length;
    const { capacity } = this.#header;
    const descriptor = this.#descriptor;
    if (descriptor === undefined || !isRoomy(count, capacity) || slots.length > PROBE_SLOTS) {
      await this.#rewrite([...(await this.#allSlots()), ...slots], { coveredBytes, fingerprint }, sync);
      return;
    }
    for (const slot of slots) this.#insert(descriptor, slot);
    // Only slots that are on the device may be vouched for by the header.
    if (sync) await syncDescriptor(descriptor);
    this.#header = { coveredBytes, count, capacity, fingerprint };
    writeSync(descriptor, encodeHeader(this.#header), 0, HEADER_BYTES, 0);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  async #cover({ descriptor, sizeBytes, pacer }: RecordIndexOptions): Promise<void> {
    const from = this.#header.coveredBytes;
    if (from === sizeBytes && this.#descriptor !== undefined) return;
    const slots: Slot[] = [];
    for await (const { offset, line } of scanRecords(descriptor, { from, to: sizeBytes }, pacer)) {
      slots.push({ prefix: keyPrefix(recordKey(line)), offset });
    }
    await this.add(slots, sizeBytes, false);
  }

  /** The slots in which a key with this prefix may be, up to the first empty one. */
  *#probe(prefix: bigint): Iterable<Slot & { readonly index: number }> {
    const { capacity } = this.#header;
    if (this.#descriptor === undefined) return;
    const buffer = Buffer.allocUnsafe(PROBE_SLOTS * SLOT_BYTES);
    let index = firstIndex(prefix, capacity);
    for (let probed = 0; probed < capacity;) {
      const slots = Math.min(PROBE_SLOTS, capacity - index);
      readSync(this.#descriptor, buffer, 0, slots * SLOT_BYTES, HEADER_BYTES + index * SLOT_BYTES);
      for (let i = 0; i < slots; i += 1) {
        const slot = readSlot(buffer, i * SLOT_BYTES);
        if (slot === undefined) return;
        yield { ...slot, index: index + i };
      }
      probed += slots;
      index = (index + slots) % capacity;
    }
  }

  #insert(descriptor: number, slot: Slot): void {
    let index = firstIndex(slot.prefix, this.#header.capacity);
    for (const taken of this.#probe(slot.prefix)) index = (taken.index + 1) % this.#header.capacity;
    const bytes = Buffer.alloc(SLOT_BYTES);
    writeSlot(bytes, 0, slot);
    writeSync(descriptor, bytes, 0, SLOT_BYTES, HEADER_BYTES + index * SLOT_BYTES);
  }

  /** Makes the whole table anew, with room to grow, and puts it in the place of the old one. */
  async #rewrite(
    slots: readonly Slot[],
    covered: Pick<IndexHeader, 'coveredBytes' | 'fingerprint'>,
    sync: boolean,
  ): Promise<void> {
    const header = { ...covered, count: slots.length, capacity: capacityFor(slots.length) };
    const table = Buffer.alloc(header.capacity * SLOT_BYTES);
    for (const slot of slots) placeSlot(table, slot);
    using file = TemporaryFile.beside(this.#path, PRIVATE_MODE);
    await writeFully(file.descriptor, Buffer.concat([encodeHeader(header), table]));
    if (sync) await syncDescriptor(file.descriptor);
    renameSync(file.path, this.#path);
    file.keep();
    this[Symbol.dispose]();
    this.#header = header;
    this.#descriptor = openRegular(this.#path, constants.O_RDWR, this.#path).descriptor;
  }

  async #allSlots(): Promise<readonly Slot[]> {
    if (this.#descriptor === undefined) return [];
    const table = await readFully(this.#descriptor, this.#header.capacity * SLOT_BYTES, HEADER_BYTES);
    const slots: Slot[] = [];
    for (let position = 0; position < table.byteLength; position += SLOT_BYTES) {
      const slot = readSlot(table, position);
      if (slot !== undefined) slots.push(slot);
    }
    return slots;
  }
}

/** `undefined` if there is none, or none that can be of use. */
async function openIndexFile(
  options: RecordIndexOptions,
): Promise<{ descriptor: number; header: IndexHeader } | undefined> {
  let descriptor: number;
  try {
    descriptor = openRegular(options.path, constants.O_RDWR, options.path).descriptor;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || NotAFileError.isInstance(error)) return undefined;
    throw error;
  }
  const bytes = await readFully(descriptor, HEADER_BYTES, 0);
  const header = decodeHeader(bytes, fstatSync(descriptor).size);
  if (header !== undefined && header.coveredBytes <= options.sizeBytes) {
    const fingerprint = await fingerprintBefore(options.descriptor, header.coveredBytes);
    if (fingerprint.equals(header.fingerprint)) return { descriptor, header };
  }
  closeSync(descriptor);
  return undefined;
}

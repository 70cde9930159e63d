import { closeSync, constants, fstatSync, ftruncateSync } from 'node:fs';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AppendRecordOptions,
  type AppendRecordResult,
  KeyedMutex,
  type Logger,
  MessageInvalidError,
  recordKey,
} from '@agent-workspace/core';
import { readFully, syncDescriptor, writeFully, writeOnce } from '../descriptor.ts';
import { requireLock } from '../held-lock.ts';
import { openRegular } from '../open-regular.ts';
import { Pacer } from '../pacer.ts';
import type { PathGuard } from '../path-guard.ts';
import { syncPath } from '../sync-path.ts';
import type { TemporarySweeper } from '../temporary-sweeper.ts';
import { throwIfAborted } from '../translate-error.ts';
import { makeParents } from '../write-file.ts';
import type { IndexFiles } from './index-files.ts';
import { type KnownRecords, RecordIndex } from './record-index.ts';
import { ScannedKeys } from './scanned-keys.ts';
import { keyPrefix, type Slot } from './slot-table.ts';

const LINE_FEED = 0x0a;
const NEW_FILE_MODE = 0o666;

/** A line that grows no more for so long is not being written. */
const WRITE_UNDER_WAY_MS = 50;

interface PendingRecord {
  readonly line: Buffer;
  /** Only where it matters what is there already. */
  readonly key: Buffer | undefined;
}

interface OpenRecords {
  readonly path: string;
  readonly descriptor: number;
  readonly sizeBytes: number;
  readonly pacer: Pacer;
}

export interface RecordAppenderOptions {
  readonly guard: PathGuard;
  readonly indexes: IndexFiles;
  readonly sweeper: TemporarySweeper;
  readonly logger: Logger;
}

/** Appends lines to files, one call at a time for each file. */
export class RecordAppender {
  readonly #guard: PathGuard;
  readonly #indexes: IndexFiles;
  readonly #sweeper: TemporarySweeper;
  readonly #logger: Logger;
  readonly #mutex = new KeyedMutex();

  constructor({ guard, indexes, sweeper, logger }: RecordAppenderOptions) {
    this.#guard = guard;
    this.#indexes = indexes;
    this.#sweeper = sweeper;
    this.#logger = logger;
  }

  async append(
    path: string,
    records: readonly string[],
    options: AppendRecordOptions = {},
  ): Promise<AppendRecordResult> {
    for (const record of records) {
      if (record.includes('\n'))
        throw new MessageInvalidError({ reason: 'a record is one line, and this one has more' });
    }
    throwIfAborted(options.signal, 'append to', path);
    const realPath = this.#guard.entry(path);
    return this.#mutex.run(realPath, () => this.#append(realPath, this.#guard.absolute(path), records, options));
  }

  async #append(
    realPath: string,
    path: string,
    records: readonly string[],
    options: AppendRecordOptions,
  ): Promise<AppendRecordResult> {
    throwIfAborted(options.signal, 'append to', path);
    requireLock(this.#guard, options.heldLock);
    makeParents(realPath);
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    const { descriptor, stats } = openRegular(realPath, flags, path, NEW_FILE_MODE);
    try {
      const pacer = new Pacer(() => throwIfAborted(options.signal, 'append to', path));
      const file: OpenRecords = { path, descriptor, sizeBytes: Number(stats.size), pacer };
      using known = options.skipExisting === true ? await this.#knownRecords(realPath, file) : undefined;
      const pending = await selectNew(records, known);
      requireLock(this.#guard, options.heldLock);
      const result = await this.#write(file, realPath, pending, known, options.sync ?? false);
      this.#sweeper.visit(posix.dirname(realPath));
      if (known?.directory !== undefined) this.#sweeper.visit(known.directory);
      return result;
    } finally {
      closeSync(descriptor);
    }
  }

  async #write(
    file: OpenRecords,
    realPath: string,
    pending: readonly PendingRecord[],
    known: KnownRecords | undefined,
    sync: boolean,
  ): Promise<AppendRecordResult> {
    const { descriptor, sizeBytes } = file;
    const closedTornLine = await endsTorn(descriptor);
    const newline = Buffer.from('\n');
    const bytes = Buffer.concat([
      ...(closedTornLine ? [newline] : []),
      ...pending.flatMap(({ line }) => [line, newline]),
    ]);
    if (bytes.byteLength > 0) {
      await appendWhole(file, bytes);
      if (sync) await syncDescriptor(descriptor);
      if (sync && sizeBytes === 0) await syncPath(posix.dirname(realPath));
      if (known !== undefined) await this.#remember(file, known, pending, sizeBytes + (closedTornLine ? 1 : 0), sync);
    }
    return { appended: pending.length, closedTornLine, sizeBytes: sizeBytes + bytes.byteLength };
  }

  async #remember(
    file: OpenRecords,
    known: KnownRecords,
    pending: readonly PendingRecord[],
    start: number,
    sync: boolean,
  ): Promise<void> {
    let offset = start;
    const slots: Slot[] = [];
    for (const { line, key } of pending) {
      if (key !== undefined) slots.push({ prefix: keyPrefix(key), offset });
      offset += line.byteLength + 1;
    }
    // Someone who does not take the lock wrote in between: the next call reads what is where.
    if (fstatSync(file.descriptor).size !== offset) return;
    try {
      await known.add(slots, offset, sync);
    } catch (error) {
      this.#logger.warn('The index of records could not be written. The next append will read the file instead.', {
        path: file.path,
        error,
      });
    }
  }

  async #knownRecords(realPath: string, file: OpenRecords): Promise<KnownRecords> {
    const { descriptor, sizeBytes, pacer } = file;
    try {
      const indexPath = this.#indexes.pathOf(realPath);
      makeParents(indexPath);
      return await RecordIndex.open({ path: indexPath, descriptor, sizeBytes, pacer });
    } catch (error) {
      pacer.check();
      this.#logger.warn('The index of records cannot be used. The file is read instead.', { path: file.path, error });
      return ScannedKeys.of(descriptor, sizeBytes, pacer);
    }
  }
}

/** The records that are not known yet, each once. */
async function selectNew(
  records: readonly string[],
  known: KnownRecords | undefined,
): Promise<readonly PendingRecord[]> {
  const toLine = (record: string): Buffer => Buffer.from(record, 'utf8');
  if (known === undefined) return records.map((record) => ({ line: toLine(record), key: undefined }));
  const pending = new Map<string, PendingRecord>();
  for (const record of records) {
    const key = recordKey(record);
    const id = key.toString('latin1');
    if (!pending.has(id) && !(await known.has(key))) pending.set(id, { line: toLine(record), key });
  }
  return [...pending.values()];
}

/** Whether the last line has no end, and nobody is at it: what is written without the lock can be seen in parts. */
async function endsTorn(descriptor: number): Promise<boolean> {
  let before: number | undefined;
  for (;;) {
    const sizeBytes = fstatSync(descriptor).size;
    if (sizeBytes === 0 || (await readFully(descriptor, 1, sizeBytes - 1))[0] === LINE_FEED) return false;
    if (sizeBytes === before) return true;
    before = sizeBytes;
    await sleep(WRITE_UNDER_WAY_MS);
  }
}

/** Appends in one write. Where the system takes only a part, and not the rest either, the part is taken back. */
async function appendWhole({ descriptor, sizeBytes }: OpenRecords, bytes: Buffer): Promise<void> {
  const written = await writeOnce(descriptor, bytes);
  if (written === bytes.byteLength) return;
  try {
    await writeFully(descriptor, bytes.subarray(written));
  } catch (error) {
    ftruncateSync(descriptor, sizeBytes);
    throw error;
  }
}

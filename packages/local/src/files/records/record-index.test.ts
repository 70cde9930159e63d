import {
  appendFileSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordKey } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Pacer } from '../pacer.ts';
import { RecordIndex } from './record-index.ts';
import { HEADER_BYTES } from './index-header.ts';
import { keyPrefix, type Slot, SLOT_BYTES } from './slot-table.ts';

let directory: string;
let file: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'aw-index-'));
  file = join(directory, 'log');
  path = join(directory, 'log.keys');
  writeFileSync(file, '');
});

afterEach(() => rm(directory, { recursive: true }));

const line = (number: number): string => `{"id":"m${number}","content":"text ${number}"}`;

function writeRecords(from: number, to: number): void {
  const lines = Array.from({ length: to - from }, (_, index) => `${line(from + index)}\n`);
  appendFileSync(file, lines.join(''));
}

async function withIndex<T>(work: (index: RecordIndex) => Promise<T>): Promise<T> {
  const descriptor = openSync(file, 'r');
  try {
    using index = await RecordIndex.open({ path, descriptor, sizeBytes: statSync(file).size, pacer: new Pacer() });
    return await work(index);
  } finally {
    closeSync(descriptor);
  }
}

/** Which of these records the index finds. */
function found(...numbers: readonly number[]): Promise<readonly number[]> {
  return withIndex(async (index) => {
    const known: number[] = [];
    for (const number of numbers) if (await index.has(recordKey(line(number)))) known.push(number);
    return known;
  });
}

describe('RecordIndex', () => {
  it('covers what was written since it was last open', async () => {
    writeRecords(0, 3);
    expect(await found(0, 2, 3)).toEqual([0, 2]);
    writeRecords(3, 5);
    expect(await found(0, 3, 4, 5)).toEqual([0, 3, 4]);
    expect(statSync(path).size).toBe(HEADER_BYTES + 256 * SLOT_BYTES);
  });

  it('grows and loses nothing', async () => {
    for (let start = 0; start < 3_000; start += 100) {
      writeRecords(start, start + 100);
      expect(await found(start, start + 99, start + 100)).toEqual([start, start + 99]);
    }
    const all = Array.from({ length: 3_000 }, (_, number) => number);
    expect(await found(...all)).toEqual(all);
  });

  it('adds to the slots that are there without writing the others anew', async () => {
    writeRecords(0, 100);
    await found();
    const before = readFileSync(path);
    const offset = statSync(file).size;
    writeRecords(100, 101);
    await withIndex(async () => undefined);
    const after = readFileSync(path);
    const changed = [];
    for (let position = HEADER_BYTES; position < after.byteLength; position += SLOT_BYTES) {
      const slot = after.subarray(position, position + SLOT_BYTES);
      if (!slot.equals(before.subarray(position, position + SLOT_BYTES))) changed.push(Number(slot.readBigUInt64LE(8)));
    }
    expect(changed).toEqual([offset + 1]);
  });

  it('takes no slot’s word for a record: the line has to be there', async () => {
    writeRecords(0, 10);
    await withIndex(async (index) => {
      const made: Slot = { prefix: keyPrefix(recordKey(line(77))), offset: 0 };
      await index.add([made], statSync(file).size, false);
    });
    expect(await found(0, 77)).toEqual([0]);
  });

  it.each([
    ['is missing', () => rmSync(path)],
    ['is empty', () => truncateSync(path, 0)],
    ['was cut', () => truncateSync(path, 1_000)],
    ['is no index', () => writeFileSync(path, 'x'.repeat(HEADER_BYTES + 256 * SLOT_BYTES))],
    [
      'says that it is larger than it is',
      () => {
        const bytes = readFileSync(path);
        bytes.writeBigUInt64LE(2n ** 40n, 24);
        writeFileSync(path, bytes);
      },
    ],
    [
      'covers more than there is',
      () => {
        const bytes = readFileSync(path);
        bytes.writeBigUInt64LE(10_000_000n, 8);
        writeFileSync(path, bytes);
      },
    ],
  ])('is made anew where it %s', async (_, damage) => {
    writeRecords(0, 20);
    await found();
    damage();
    expect(await found(0, 19, 20)).toEqual([0, 19]);
  });

  it('is made anew for a file that was made shorter, or replaced by another one', async () => {
    writeRecords(0, 20);
    await found();
    truncateSync(file, statSync(file).size - line(19).length - 1);
    expect(await found(18, 19)).toEqual([18]);
    writeFileSync(file, '');
    writeRecords(100, 200);
    expect(await found(0, 18, 100, 199)).toEqual([100, 199]);
  });

  it('ends where a hostile index has no empty slot and points everywhere to one line', async () => {
    writeRecords(0, 20);
    await found();
    const bytes = readFileSync(path);
    for (let position = HEADER_BYTES; position < bytes.byteLength; position += SLOT_BYTES) {
      bytes.writeBigUInt64LE(keyPrefix(recordKey(line(20))), position);
      bytes.writeBigUInt64LE(2n ** 63n, position + 8);
    }
    writeFileSync(path, bytes);
    writeRecords(20, 25);
    expect(await found(0, 24)).toEqual([24]);
  });
});

/** What is known of a record: the head of its key, and where its line begins. */
export interface Slot {
  /** The first eight bytes of the record's key. */
  readonly prefix: bigint;
  readonly offset: number;
}

export const SLOT_BYTES = 16;
const MIN_CAPACITY = 256;
/** Room for four times as many records, so that a growing table is rewritten a few times in its life. */
const GROWTH = 4;

export function keyPrefix(key: Buffer): bigint {
  return key.readBigUInt64LE(0);
}

export function firstIndex(prefix: bigint, capacity: number): number {
  return Number(BigInt.asUintN(32, prefix)) & (capacity - 1);
}

/** More than half full, a table's runs of taken slots grow long. */
export function isRoomy(count: number, capacity: number): boolean {
  return count * 2 <= capacity;
}

export function capacityFor(count: number): number {
  let capacity = MIN_CAPACITY;
  while (capacity < count * GROWTH) capacity *= 2;
  return capacity;
}

/** Whether a table with `count` slots taken may have come to be this large. */
export function isPossibleCapacity(count: number, capacity: number): boolean {
  return isRoomy(count, capacity) && capacity <= capacityFor(count) && Number.isInteger(Math.log2(capacity));
}

/** `undefined` for an empty slot. Offsets are kept plus one, so that zeros mean empty. */
export function readSlot(table: Buffer, position: number): Slot | undefined {
  const storedOffset = table.readBigUInt64LE(position + 8);
  if (storedOffset === 0n) return undefined;
  return { prefix: table.readBigUInt64LE(position), offset: Number(storedOffset - 1n) };
}

export function writeSlot(table: Buffer, position: number, slot: Slot): void {
  table.writeBigUInt64LE(slot.prefix, position);
  table.writeBigUInt64LE(BigInt(slot.offset) + 1n, position + 8);
}

/** Puts a slot into the next free place of a whole table in memory. */
export function placeSlot(table: Buffer, slot: Slot): void {
  const capacity = table.byteLength / SLOT_BYTES;
  let index = firstIndex(slot.prefix, capacity);
  while (readSlot(table, index * SLOT_BYTES) !== undefined) index = (index + 1) % capacity;
  writeSlot(table, index * SLOT_BYTES, slot);
}

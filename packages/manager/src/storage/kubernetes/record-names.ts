import { hash } from 'node:crypto';
import type { RecordKind } from './records.ts';

const LABEL_VALUE = /^[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
/** 256 bits in digits of five. */
const HASH_DIGITS = 52;
const HASH = /^[0-9a-v]{52}$/;

/** A DNS label for whatever characters an id has. No two ids share one. */
export function recordName(service: string, kind: RecordKind, id: string): string {
  return `aw-${kind.charAt(0)}-${hashed(JSON.stringify([service, kind, id]))}`;
}

/** The text itself where a label can have it as its value, else its hash. No two texts have the same. */
export function labelValue(text: string): string {
  return LABEL_VALUE.test(text) && !HASH.test(text) ? text : hashed(text);
}

/** In lower-case letters and digits. */
export function hashed(text: string): string {
  return BigInt(`0x${hash('sha256', text, 'hex')}`)
    .toString(32)
    .padStart(HASH_DIGITS, '0');
}

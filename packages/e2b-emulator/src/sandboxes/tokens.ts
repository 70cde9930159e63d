import { randomBytes, randomInt } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const RANDOM_LENGTH = 20;

/** `i` and 20 letters and digits, as E2B's newer ids. */
export function newSandboxId(): string {
  return `i${Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** An id as callers may write it: with a client's id behind it, which nobody needs any more. */
export function bareSandboxId(id: string): string {
  return id.split('-')[0] ?? id;
}

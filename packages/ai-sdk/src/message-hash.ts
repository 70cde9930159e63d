import { createHash } from 'node:crypto';
import type { ModelMessage } from 'ai';
import { canonicalJson } from './canonical-json.ts';

/** The hash of no messages. */
export const EMPTY_PREFIX_HASH = '';

/** The hash of a history with `messages` after the one that has `prefixHash`. */
export function extendPrefixHash(prefixHash: string, messages: readonly ModelMessage[]): string {
  let hash = prefixHash;
  for (const message of messages) {
    hash = createHash('sha256').update(hash).update('\0').update(canonicalJson(message)).digest('hex');
  }
  return hash;
}

/**
 * An id, in AgentScope's form, that the same message at the same place of a conversation always
 * has, so that a message offloaded twice is recognised.
 */
export function stableId(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}

import type { WorkspaceKey } from '@agent-workspace/core';
import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Isolation } from '../identity/isolation.ts';

const DIGEST_BYTES = 8;

/**
 * The id that AgentScope derives for a key. Keys whose ids have `::` in them can get the same one:
 * user `a`, agent `b::c` and user `a::b`, agent `c` do.
 */
export function agentscopeId(isolation: Exclude<Isolation, 'per-session'>, { userId, agentId }: WorkspaceKey): string {
  const joined = isolation === 'per-user' ? `user::${userId}` : `${userId}::${agentId}`;
  return bytesToHex(blake2b(utf8ToBytes(joined), { dkLen: DIGEST_BYTES }));
}

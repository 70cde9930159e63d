import { encodeId, isSafeVerbatimName } from '../state/encode-id.ts';
import { DEFAULT_PARTITION } from './skill-location.ts';
import { foldName } from './skill-names.ts';

/**
 * Another name that no id is encoded to: the first byte percent-encoded, where that is not taken
 * by an encoded id already.
 */
function escapeName(name: string): string {
  const first = name.charCodeAt(0);
  const isPlain = /^[a-z0-9]/.test(name);
  return isPlain ? `%${first.toString(16).toUpperCase()}${name.slice(1)}` : `~${name}`;
}

/**
 * Folders in which this agent's skills are, the one that counts first. Normally one, or none yet.
 *
 * @param otherFolders the folders in `skills/` that are no skills
 * @throws `id-invalid`
 */
export function partitionsOf(
  agentId: string,
  { otherFolders }: { readonly otherFolders: ReadonlySet<string> },
): readonly string[] {
  const plain = encodeId(agentId);
  // The escaped one was made because the plain name was not to be had.
  const candidates = [escapeName(plain)];
  if (plain !== DEFAULT_PARTITION) candidates.push(plain);
  if (isSafeVerbatimName(agentId) && agentId !== DEFAULT_PARTITION && agentId !== plain) candidates.push(agentId);
  return candidates.filter((candidate) => otherFolders.has(candidate));
}

/**
 * The folder to make for an agent that has none.
 *
 * @param entryNames everything in `skills/`
 * @throws `id-invalid`
 */
export function newPartitionName(agentId: string, entryNames: Iterable<string>): string {
  const taken = new Set([DEFAULT_PARTITION, ...entryNames].map(foldName));
  let name = encodeId(agentId);
  while (taken.has(foldName(name))) name = escapeName(name);
  return name;
}

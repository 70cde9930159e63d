import { createHash } from 'node:crypto';

/**
 * Clients put a prefix of their own before a name, such as `mcp__{server}__`, and providers take 64
 * characters in all.
 */
const MAX_LENGTH = 40;
const HASH_LENGTH = 8;

const PLAIN = /^[A-Za-z0-9_-]+$/;
const LOOKS_HASHED = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * What a tool of one of the workspace's MCP servers is called to clients: `{server}__{tool}`, at
 * most 40 characters of `[A-Za-z0-9_-]`, the same each time, and of no two tools the same.
 *
 * Where that is not legal, too long or could be read in two ways, it is cut to fit and ends in a
 * hash of the exact names. A plain name never ends like a hash.
 */
export function servedToolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  const isExact = !server.includes('__') && !server.endsWith('_') && server !== '' && tool !== '';
  if (isExact && plain.length <= MAX_LENGTH && PLAIN.test(plain) && !LOOKS_HASHED.test(plain)) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  const legible = plain.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${legible}_${hash}`;
}

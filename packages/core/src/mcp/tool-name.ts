import { createHash } from 'node:crypto';
import type { MCPTool } from './mcp-client.ts';

/** Model providers take no longer names. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 16;

const PLAIN = /^mcp__[A-Za-z0-9_-]+$/;
const LOOKS_HASHED = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * The name of a server's tool as a model sees it: `mcp__{server}__{tool}`, at most 64 characters
 * of `[A-Za-z0-9_-]`, the same each time, and of no two tools the same.
 *
 * Where the plain form is not legal, too long or could be read in two ways (the server ends at
 * the first `__`, so it may not have one), the name is cut to fit and ends in a hash of the exact
 * names. A plain name never ends like a hash.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const isExact = !server.includes('__') && !server.endsWith('_') && server !== '' && tool !== '';
  if (isExact && plain.length <= MAX_LENGTH && PLAIN.test(plain) && !LOOKS_HASHED.test(plain)) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  const legible = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${legible}_${hash}`;
}

/** The exact way back from a name that a model used: the tool it stands for, with its `serverName` and `toolName`. */
export function findMCPTool<T extends MCPTool>(tools: Iterable<T>, name: string): T | undefined {
  for (const tool of tools) if (tool.name === name) return tool;
  return undefined;
}

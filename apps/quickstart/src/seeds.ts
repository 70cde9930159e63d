import { fileURLToPath } from 'node:url';
import type { McpDeclarationInput } from '@agent-workspace/core';
import filesystem from '@modelcontextprotocol/server-filesystem/package.json' with { type: 'json' };
import memory from '@modelcontextprotocol/server-memory/package.json' with { type: 'json' };

/** What a brand-new workspace begins with. */
export interface Seeds {
  readonly defaultMcps: readonly McpDeclarationInput[];
  readonly skillPaths: readonly string[];
}

/**
 * The app's skill, and two servers from npm: one for files, one that remembers. A server starts in the
 * directory of the workspace and is found on the PATH, so that this is the same on every backend.
 */
export const SEEDS: Seeds = {
  defaultMcps: [
    { name: 'files', command: 'mcp-server-filesystem', args: ['.'] },
    // This one would take a relative path from where its code is.
    { name: 'memory', command: 'sh', args: ['-c', 'MEMORY_FILE_PATH="$PWD/memory.jsonl" exec mcp-server-memory'] },
  ],
  skillPaths: [fileURLToPath(new URL('../skills/table-report', import.meta.url))],
};

/** The packages of these servers, for a backend that has to install them, in the versions that this app has. */
export const SERVER_PACKAGES: readonly string[] = [filesystem, memory].map(({ name, version }) => `${name}@${version}`);

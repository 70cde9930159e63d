import { describe } from 'vitest';
import { everythingServer } from './everything.ts';
import { filesystemServer, memoryServer } from './files-and-memory.ts';
import type { RealMcpServersOptions } from './real-mcp-options.ts';

/** The reference servers of the protocol, as an agent has them: the same on every engine. */
export function describeRealMcpServers(name: string, options: RealMcpServersOptions): void {
  describe(`real MCP servers: ${name}`, () => {
    everythingServer(options);
    filesystemServer(options);
    memoryServer(options);
  });
}

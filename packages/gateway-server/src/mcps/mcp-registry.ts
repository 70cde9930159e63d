import { isDeepStrictEqual } from 'node:util';
import { GatewayUnauthorizedError, type Logger, MCPExistsError, MCPNotFoundError } from '@agent-workspace/core';
import type { GatewayEvent, McpKey, McpStatus, RegisterMcpRequest } from '@agent-workspace/gateway-protocol';
import { RegisteredMcp } from './registered-mcp.ts';

export interface McpRegistryOptions {
  /** Where stdio servers run unless their declaration says otherwise. */
  readonly cwd: string;
  readonly emit: (event: GatewayEvent) => void;
  readonly logger: Logger;
}

function keyOf({ name, agentId, sessionId, clientId }: McpKey): string {
  return JSON.stringify([name, agentId, sessionId, clientId]);
}

/** The MCP servers that one attachment has registered. Each lives by itself: none waits for another. */
export class McpRegistry {
  readonly #options: McpRegistryOptions;
  readonly #mcps = new Map<string, RegisteredMcp>();
  #isClosed = false;

  constructor(options: McpRegistryOptions) {
    this.#options = options;
  }

  /** Starts nothing yet. @throws `mcp-exists` if the key is taken by another configuration */
  register(request: RegisterMcpRequest): RegisteredMcp {
    if (this.#isClosed) throw new GatewayUnauthorizedError({ reason: 'its attachment has ended' });
    const { declaration, agentId, sessionId, clientId } = request;
    const mcpKey: McpKey = { name: declaration.name, agentId, sessionId, clientId };
    const key = keyOf(mcpKey);
    const known = this.#mcps.get(key);
    if (known === undefined) {
      const mcp = new RegisteredMcp({ ...this.#options, key: mcpKey, request });
      this.#mcps.set(key, mcp);
      return mcp;
    }
    if (!isDeepStrictEqual(known.request, request)) throw new MCPExistsError({ name: declaration.name });
    return known;
  }

  /** @throws `mcp-not-found` */
  get(key: McpKey): RegisteredMcp {
    const mcp = this.#mcps.get(keyOf(key));
    if (mcp === undefined) throw new MCPNotFoundError({ name: key.name });
    return mcp;
  }

  list(): readonly McpStatus[] {
    return [...this.#mcps.values()].map((mcp) => mcp.status());
  }

  /** Ends the server. One that is not there is no error. */
  async remove(key: McpKey): Promise<void> {
    const mcp = this.#mcps.get(keyOf(key));
    this.#mcps.delete(keyOf(key));
    await mcp?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const mcps = [...this.#mcps.values()];
    this.#mcps.clear();
    await Promise.all(mcps.map((mcp) => mcp.close()));
  }
}

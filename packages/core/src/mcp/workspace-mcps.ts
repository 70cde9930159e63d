import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { Scope } from '../scope.ts';
import { type McpDeclaration, type McpDeclarationInput, parseMcpDeclarations } from './declaration.ts';
import type { MCPClient } from './mcp-client.ts';
import type { McpDocument } from './mcp-document.ts';
import { McpPool, type McpPoolOptions } from './mcp-pool.ts';
import { McpRegistry } from './mcp-registry.ts';

export interface WorkspaceMcpsOptions extends Omit<McpPoolOptions, 'emit'> {
  readonly defaults: readonly McpDeclaration[];
  /** Servers outside of the sandbox: in every scope, and never in `.mcp`. */
  readonly hostMcps: readonly McpDeclaration[];
}

/** The MCP servers of a workspace: what is declared, and the clients to it. */
export class WorkspaceMcps {
  readonly #context: WorkspaceContext;
  readonly #registry: McpRegistry;
  readonly #pool: McpPool;
  readonly #hostMcps: readonly McpDeclaration[];

  constructor(context: WorkspaceContext, options: WorkspaceMcpsOptions) {
    this.#context = context;
    this.#registry = new McpRegistry(context, options.defaults);
    this.#pool = new McpPool({ ...options, emit: context.emit });
    this.#hostMcps = options.hostMcps;
  }

  async seed(): Promise<void> {
    await this.#registry.seed();
  }

  async list(scope: Scope): Promise<readonly MCPClient[]> {
    const document = await this.#registry.readLeniently();
    // While the file cannot be read it is not known what was removed, and everything goes on.
    if (document === undefined) return this.#pool.clientsFor(scope, this.#hostMcps);
    await this.#settle(document);
    return this.#pool.clientsFor(scope, this.#declarations(document, scope));
  }

  /** @throws `mcp-declaration-invalid`, `mcp-exists`, `state-file-invalid` */
  async add(scope: Scope, input: McpDeclarationInput): Promise<void> {
    await this.#settle(await this.#registry.add(scope, parseMcpDeclarations(input)));
  }

  /** @throws `mcp-not-found`, `state-file-invalid` */
  async remove(scope: Scope, name: string): Promise<void> {
    await this.#settle(await this.#registry.remove(scope, name));
  }

  async removeScopes(isGone: (scope: Scope) => boolean): Promise<void> {
    await this.#settle(await this.#registry.removeScopes(isGone));
    await this.#pool.closeScopes(isGone);
  }

  async clear(): Promise<void> {
    await this.#pool.close();
    await this.#registry.clear();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** Ends the clients of servers that are no longer declared. */
  async #settle(document: McpDocument): Promise<void> {
    await this.#pool.retain((scope) => this.#declarations(document, scope));
  }

  /** The host's own win over a name that an agent may have written into `.mcp`. */
  #declarations(document: McpDocument, scope: Scope): readonly McpDeclaration[] {
    const hostNames = new Set(this.#hostMcps.map((declaration) => declaration.name));
    const declared = this.#registry.declarationsIn(document, scope).filter(({ name }) => {
      if (!hostNames.has(name)) return true;
      const reason = 'the host has a server of this name, which counts instead';
      const path = `${this.#context.layout.mcpFile}/${name}`;
      this.#context.diagnostics.add({ kind: 'mcp', path, reason, severity: 'warning' });
      return false;
    });
    return [...declared, ...this.#hostMcps];
  }
}

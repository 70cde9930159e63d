import { isDeepStrictEqual } from 'node:util';
import { MCPClientClosedError } from '../errors/mcp-client-closed-error.ts';
import { MCPNotFoundError } from '../errors/mcp-not-found-error.ts';
import type { WorkspaceError } from '../errors/workspace-error.ts';
import type { WorkspaceEventListener } from '../events/workspace-event.ts';
import { type Scope, scopeKey, UNSCOPED } from '../scope.ts';
import type { McpDeclaration } from './declaration.ts';
import type { MCPClient, MCPClientState } from './mcp-client.ts';
import { PooledMcpClient } from './pooled-mcp-client.ts';

const MIN_LIVE_STATEFUL = 40;

/** As many live stateful servers as AgentScope allows, where nothing is set. */
export function defaultMaxLiveStateful(defaults: readonly McpDeclaration[]): number {
  return Math.max(MIN_LIVE_STATEFUL, 2 * defaults.filter((declaration) => declaration.isStateful).length);
}

export interface McpPoolOptions {
  readonly create: (
    declaration: McpDeclaration,
    scope: Scope,
    onStateChange: (state: MCPClientState) => void,
  ) => MCPClient;
  readonly maxLiveStateful: number;
  readonly emit: WorkspaceEventListener;
  readonly hold: () => Disposable;
}

interface Slot {
  /** Whose the client is: one scope's or, of a stateless server, that of all who asked for it. */
  readonly scopes: Map<string, Scope>;
  readonly client: PooledMcpClient;
}

/**
 * The clients of a workspace. Each session has its own of a stateful server; a stateless one is
 * shared. Nothing connects before it is used, so that no session waits for another's server.
 */
export class McpPool {
  readonly #options: McpPoolOptions;
  readonly #slots = new Map<string, Slot>();

  constructor(options: McpPoolOptions) {
    this.#options = options;
  }

  /** The clients of a scope, in the order of its declarations. Those no longer declared are ended. */
  async clientsFor(scope: Scope, declarations: readonly McpDeclaration[]): Promise<readonly MCPClient[]> {
    const stale = declarations.flatMap((declaration) => {
      const slot = this.#slots.get(slotKey(scope, declaration));
      return slot === undefined || isDeepStrictEqual(slot.client.declaration, declaration) ? [] : [slot];
    });
    await this.#end(stale);
    return declarations.map((declaration) => this.#clientFor(scope, declaration));
  }

  /** Ends the clients that are not declared any more in the scope they were made for. */
  async retain(declarationsOf: (scope: Scope) => readonly McpDeclaration[]): Promise<void> {
    const gone = [...this.#slots.values()].filter(
      ({ scopes, client }) =>
        ![...scopes.values()]
          .flatMap(declarationsOf)
          .some((declaration) => isDeepStrictEqual(declaration, client.declaration)),
    );
    await this.#end(gone);
  }

  /** Ends the clients that only the scopes `isGone` names have. */
  async closeScopes(isGone: (scope: Scope) => boolean): Promise<void> {
    await this.#end([...this.#slots.values()].filter(({ scopes }) => [...scopes.values()].every(isGone)));
  }

  /** Ends every client. */
  async close(): Promise<void> {
    await this.#end([...this.#slots.values()], (name, method) => new MCPClientClosedError({ name, method }));
  }

  #clientFor(scope: Scope, declaration: McpDeclaration): MCPClient {
    const key = slotKey(scope, declaration);
    const existing = this.#slots.get(key);
    if (existing !== undefined) {
      existing.scopes.set(scopeKey(scope), scope);
      return existing.client;
    }
    const owner = declaration.isStateful ? scope : UNSCOPED;
    const client: PooledMcpClient = new PooledMcpClient({
      declaration,
      create: () => {
        if (declaration.isStateful) this.#makeRoomFor(owner);
        return this.#options.create(declaration, owner, (state) =>
          this.#options.emit({ type: 'mcp-state-changed', scope: owner, name: declaration.name, state }),
        );
      },
      use: this.#options.hold,
    });
    this.#slots.set(key, { scopes: new Map([[scopeKey(scope), scope]]), client });
    return client;
  }

  /** Evicts the least recently used of other sessions; a session's own are never evicted for it. */
  #makeRoomFor(scope: Scope): void {
    const live = [...this.#slots.values()].filter(({ client }) => client.isStateful && client.isLive);
    const candidates = live
      .filter((slot) => !slot.scopes.has(scopeKey(scope)) && !slot.client.isInUse)
      .toSorted((a, b) => a.client.lastUsedAt - b.client.lastUsedAt);
    const excess = live.length + 1 - this.#options.maxLiveStateful;
    for (const { scopes, client } of candidates.slice(0, Math.max(0, excess))) {
      // Not waited for: the one who needs the place must not wait for a server that ends slowly.
      void client.close();
      for (const other of scopes.values()) this.#options.emit({ type: 'mcp-evicted', scope: other, name: client.name });
    }
  }

  async #end(
    slots: readonly Slot[],
    reason: (name: string, method: string) => WorkspaceError = (name) => new MCPNotFoundError({ name }),
  ): Promise<void> {
    const gone = new Set(slots);
    for (const [key, slot] of this.#slots) if (gone.has(slot)) this.#slots.delete(key);
    await Promise.all(slots.map(({ client }) => client.retire((method) => reason(client.name, method))));
  }
}

/** Stateless servers are one for all scopes that declare the same. */
function slotKey(scope: Scope, declaration: McpDeclaration): string {
  return declaration.isStateful ? `${scopeKey(scope)}${declaration.name}` : JSON.stringify(declaration);
}

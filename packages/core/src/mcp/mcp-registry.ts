import { isDeepStrictEqual } from 'node:util';
import { MCPExistsError } from '../errors/mcp-exists-error.ts';
import { MCPNotFoundError } from '../errors/mcp-not-found-error.ts';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import type { Diagnostic } from '../events/diagnostics.ts';
import { readStateFile } from '../state/state-file.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { LockGuard } from '../state/workspace-lock.ts';
import type { Scope } from '../scope.ts';
import { type McpDeclaration, parseAgentScopeSpec, toAgentScopeSpec } from './declaration.ts';
import { entryName, McpDocument, type McpEntry } from './mcp-document.ts';

/** A longer `.mcp` is not read. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** It may hold secrets. */
const FILE_MODE = 0o600;

/** The MCP servers that a workspace declares: what is in `.mcp`, read anew each time. */
export class McpRegistry {
  readonly #context: WorkspaceContext;
  readonly #defaults: readonly McpEntry[];

  /** @param defaults what counts where AgentScope's version 2 file names no servers for the workspace itself */
  constructor(context: WorkspaceContext, defaults: readonly McpDeclaration[]) {
    this.#context = context;
    this.#defaults = defaults.map(toAgentScopeSpec);
  }

  /** Reads the file. `undefined` if it cannot be used; that, as any bad entry, is in the diagnostics. */
  async readLeniently(): Promise<McpDocument | undefined> {
    try {
      const document = await this.#read();
      this.#diagnose(document);
      return document;
    } catch (error) {
      if (!StateFileInvalidError.isInstance(error)) throw error;
      const { mcpFile } = this.#context.layout;
      const diagnostic = { kind: 'mcp', path: mcpFile, reason: error.message, severity: 'error' } as const;
      this.#context.diagnostics.replace('mcp', mcpFile, [diagnostic]);
      return undefined;
    }
  }

  /** The servers of a scope, bad entries left out. */
  declarationsIn(document: McpDocument, scope: Scope): readonly McpDeclaration[] {
    const declarations = new Map<string, McpDeclaration>();
    for (const entry of document.entriesFor(scope) ?? this.#defaults) {
      const declaration = parseEntry(entry);
      if (!(declaration instanceof Error) && !declarations.has(declaration.name)) {
        declarations.set(declaration.name, declaration);
      }
    }
    return [...declarations.values()];
  }

  /**
   * Adds servers to a scope; one that is there already, just so, is left alone.
   *
   * @throws `mcp-exists`, `state-file-invalid`
   */
  async add(scope: Scope, declarations: readonly McpDeclaration[]): Promise<McpDocument> {
    return this.#change(scope, (entries) => {
      const added = [...entries];
      for (const declaration of declarations) {
        const existing = added.find((entry) => entryName(entry) === declaration.name);
        if (existing === undefined) added.push(toAgentScopeSpec(declaration));
        else if (!isDeepStrictEqual(parseEntry(existing), declaration)) {
          throw new MCPExistsError({ name: declaration.name });
        }
      }
      return added;
    });
  }

  /** @throws `mcp-not-found`, `state-file-invalid` */
  async remove(scope: Scope, name: string): Promise<McpDocument> {
    return this.#change(scope, (entries) => {
      const kept = entries.filter((entry) => entryName(entry) !== name);
      if (kept.length === entries.length) throw new MCPNotFoundError({ name });
      return kept;
    });
  }

  /** Forgets the scopes that `isGone` names. */
  async removeScopes(isGone: (scope: Scope) => boolean): Promise<McpDocument> {
    return this.#context.lock.run(async (guard) => {
      const document = await this.#read();
      const next = document.withoutScopes(isGone);
      if (next.toString() !== document.toString()) await this.#write(next, guard);
      return next;
    });
  }

  /** Declares nothing, for every scope; the defaults do not come back. */
  async clear(): Promise<McpDocument> {
    return this.#context.lock.run(async (guard) => {
      // Whatever an agent has made of it, a link or a directory, goes too.
      await this.#context.backend.remove(this.#context.layout.mcpFile, { ...guard, recursive: true });
      await this.#write(McpDocument.empty(), guard);
      return McpDocument.empty();
    });
  }

  /** Writes the first file of a new workspace, unless there is one. */
  async seed(): Promise<void> {
    if (this.#defaults.length === 0) return;
    await this.#context.lock.run(async (guard) => {
      if ((await this.#context.backend.stat(this.#context.layout.mcpFile, { noFollow: true })) !== undefined) return;
      await this.#write(McpDocument.empty().withEntries({}, this.#defaults, []), guard);
    });
  }

  async #change(scope: Scope, change: (entries: readonly McpEntry[]) => readonly McpEntry[]): Promise<McpDocument> {
    return this.#context.lock.run(async (guard) => {
      const document = await this.#read();
      const before = document.entriesFor(scope) ?? this.#defaults;
      const after = change(before);
      if (after.length === before.length) return document;
      const next = document.withEntries(scope, after, this.#defaults);
      await this.#write(next, guard);
      this.#diagnose(next);
      return next;
    });
  }

  async #read(): Promise<McpDocument> {
    const path = this.#context.layout.mcpFile;
    const text = await readStateFile(this.#context.backend, path, MAX_FILE_BYTES);
    return text === undefined ? McpDocument.empty() : McpDocument.parse(text, path);
  }

  async #write(document: McpDocument, guard: LockGuard): Promise<void> {
    const { backend, layout, sync } = this.#context;
    await backend.writeFile(layout.mcpFile, document.toString(), { ...guard, mode: FILE_MODE, noFollow: true, sync });
  }

  #diagnose(document: McpDocument): void {
    const { mcpFile } = this.#context.layout;
    const found: Diagnostic[] = [];
    for (const { scope, entries } of document.scopes()) {
      const names = new Set<string>();
      for (const [index, entry] of entries.entries()) {
        const path = `${mcpFile}/${[scope.agentId, scope.sessionId, entryName(entry) ?? index].filter((part) => part !== '').join('/')}`;
        const declaration = parseEntry(entry);
        if (declaration instanceof Error) {
          found.push({ kind: 'mcp', path, reason: declaration.message, severity: 'error' });
        } else if (names.has(declaration.name)) {
          found.push({ kind: 'mcp', path, reason: 'an entry before it has the same name', severity: 'warning' });
        } else {
          names.add(declaration.name);
        }
      }
    }
    this.#context.diagnostics.replace('mcp', mcpFile, found);
  }
}

function parseEntry(entry: McpEntry): McpDeclaration | Error {
  try {
    return parseAgentScopeSpec(entry);
  } catch (error) {
    if (WorkspaceError.isInstance(error)) return error;
    throw error;
  }
}

import { z } from 'zod';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import { lazy } from '../lazy.ts';
import { parseJsonLosslessly } from '../state/json.ts';
import type { Scope } from '../scope.ts';

/** An entry of `.mcp` as it stands there, valid or not. */
export type McpEntry = unknown;

type ScopedEntries = Readonly<Record<string, Readonly<Record<string, readonly McpEntry[]>>>>;

const entriesSchema = lazy(() => z.array(z.unknown()));
const scopedSchema = lazy(() =>
  z.looseObject({
    version: z.literal(2),
    mcps: z.record(z.string(), z.record(z.string(), entriesSchema())),
  }),
);

/** The name that an entry goes by, if it has one. */
export function entryName(entry: McpEntry): string | undefined {
  const name = (entry as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? name : undefined;
}

/**
 * `.mcp` in either of AgentScope's versions: an array, or entries by agent and session. Immutable;
 * what we do not know is kept.
 */
export class McpDocument {
  /** Every field of a version 2 file; `undefined` for an array. */
  readonly #envelope: Readonly<Record<string, unknown>> | undefined;
  readonly #scopes: ScopedEntries;

  private constructor(scopes: ScopedEntries, envelope?: Readonly<Record<string, unknown>>) {
    this.#scopes = scopes;
    this.#envelope = envelope;
  }

  /** No file: nothing is declared. */
  static empty(): McpDocument {
    return new McpDocument({ '': { '': [] } });
  }

  /** @throws `state-file-invalid` */
  static parse(text: string, path: string): McpDocument {
    let value: unknown;
    try {
      value = parseJsonLosslessly(text);
    } catch (error) {
      throw new StateFileInvalidError(
        { path, reason: `it is not JSON (${(error as Error).message})` },
        { cause: error },
      );
    }
    const entries = entriesSchema().safeParse(value);
    if (entries.success) return new McpDocument({ '': { '': value as readonly McpEntry[] } });
    const scoped = scopedSchema().safeParse(value);
    if (scoped.success) {
      const envelope = value as { readonly version: 2; readonly mcps: ScopedEntries };
      return new McpDocument(envelope.mcps, envelope);
    }
    const version = (value as { readonly version?: unknown } | null)?.version;
    const reason =
      typeof version === 'number' && version > 2
        ? `it has version ${version}, written by newer software`
        : `it is neither a list of servers nor a version 2 file (${z.prettifyError(scoped.error)})`;
    throw new StateFileInvalidError({ path, reason }, { cause: scoped.error });
  }

  /** The entries that hold in a scope; `undefined` where the file leaves it to the defaults. */
  entriesFor({ agentId = '', sessionId = '' }: Scope): readonly McpEntry[] | undefined {
    const own = this.#own(agentId, sessionId);
    return own ?? this.#own(agentId, '') ?? this.#own('', '');
  }

  #own(agentId: string, sessionId: string): readonly McpEntry[] | undefined {
    const sessions = Object.hasOwn(this.#scopes, agentId) ? this.#scopes[agentId] : undefined;
    return sessions !== undefined && Object.hasOwn(sessions, sessionId) ? sessions[sessionId] : undefined;
  }

  /**
   * The document with other entries in one scope. `defaults` are written for the workspace itself
   * where a version 2 file leaves them out, since from then on it is ours.
   */
  withEntries(scope: Scope, entries: readonly McpEntry[], defaults: readonly McpEntry[]): McpDocument {
    const { agentId = '', sessionId = '' } = scope;
    const isScoped = agentId !== '' || sessionId !== '';
    // Built from entries rather than by assignment, which would take `__proto__` for something else.
    const scopes = new Map(Object.entries(this.#scopes));
    scopes.set('', { '': defaults, ...scopes.get('') });
    const sessions = new Map(Object.entries(scopes.get(agentId) ?? {}));
    scopes.set(agentId, Object.fromEntries(sessions.set(sessionId, entries)));
    const envelope = this.#envelope ?? (isScoped ? { version: 2 } : undefined);
    return new McpDocument(Object.fromEntries(scopes), envelope);
  }

  /** The document without the scopes that `isGone` names. The workspace's own scope stays. */
  withoutScopes(isGone: (scope: Scope) => boolean): McpDocument {
    const scopes = new Map<string, Record<string, readonly McpEntry[]>>();
    for (const [agentId, sessions] of Object.entries(this.#scopes)) {
      const kept = Object.entries(sessions).filter(
        ([sessionId]) => (agentId === '' && sessionId === '') || !isGone({ agentId, sessionId }),
      );
      if (kept.length > 0 || Object.keys(sessions).length === 0) {
        scopes.set(agentId, Object.fromEntries(kept));
      }
    }
    return new McpDocument(Object.fromEntries(scopes), this.#envelope);
  }

  /** Everything that is declared anywhere, with its scope. */
  *scopes(): IterableIterator<{ readonly scope: Scope; readonly entries: readonly McpEntry[] }> {
    for (const [agentId, sessions] of Object.entries(this.#scopes)) {
      for (const [sessionId, entries] of Object.entries(sessions)) yield { scope: { agentId, sessionId }, entries };
    }
  }

  /** As AgentScope writes it: two spaces, nulls and non-ASCII kept. */
  toString(): string {
    const value = this.#envelope === undefined ? this.#scopes['']?.[''] : { ...this.#envelope, mcps: this.#scopes };
    return JSON.stringify(value, undefined, 2);
  }
}

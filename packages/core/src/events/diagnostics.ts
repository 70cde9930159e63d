/** Something that is wrong with one item of a workspace and leaves the others alone. */
export interface Diagnostic {
  readonly kind: 'skill' | 'mcp' | 'context' | 'process' | 'state' | 'media';
  /** The file, folder or entry that it is about. */
  readonly path: string;
  /** What is wrong and what to do about it. */
  readonly reason: string;
  readonly severity: 'warning' | 'error';
}

/** The current diagnostics of a workspace: the latest word on each path. */
export class DiagnosticList {
  readonly #entries = new Map<string, Diagnostic>();
  readonly #onAdd: (diagnostic: Diagnostic) => void;

  constructor(onAdd: (diagnostic: Diagnostic) => void = () => undefined) {
    this.#onAdd = onAdd;
  }

  add(diagnostic: Diagnostic): void {
    const key = `${diagnostic.kind}\0${diagnostic.path}\0${diagnostic.reason}`;
    if (this.#entries.has(key)) return;
    this.#entries.set(key, diagnostic);
    this.#onAdd(diagnostic);
  }

  /** Puts `current` in the place of all that was said about `kind` at or below `path`. */
  replace(kind: Diagnostic['kind'], path: string, current: readonly Diagnostic[]): void {
    const keep = new Set(current.map((entry) => `${entry.kind}\0${entry.path}\0${entry.reason}`));
    for (const [key, entry] of this.#entries) {
      const isBelow = entry.path === path || entry.path.startsWith(`${path}/`);
      if (entry.kind === kind && isBelow && !keep.has(key)) this.#entries.delete(key);
    }
    for (const entry of current) this.add(entry);
  }

  list(): readonly Diagnostic[] {
    return [...this.#entries.values()];
  }
}

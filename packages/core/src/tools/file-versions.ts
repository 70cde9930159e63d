/** Files to remember for a session; the ones known longest go first. */
const MAX_FILES = 10_000;

interface KnownVersion {
  readonly version: string;
  readonly order: number;
}

/**
 * The version of each file that a session knows, from reading or from writing it, by real path.
 *
 * Calls run beside each other, so what they learn is ordered by when they looked: a Read that
 * began before the session's own Edit does not bring the older version back.
 */
export class FileVersions {
  readonly #known = new Map<string, KnownVersion>();
  #order = 0;

  /** To be taken before looking at a file. */
  next(): number {
    this.#order += 1;
    return this.#order;
  }

  get(realPath: string): string | undefined {
    return this.#known.get(realPath)?.version;
  }

  learn(realPath: string, version: string, order: number = this.next()): void {
    const earlier = this.#known.get(realPath);
    if (earlier !== undefined && earlier.order > order) return;
    this.#known.delete(realPath);
    this.#known.set(realPath, { version, order });
    if (this.#known.size <= MAX_FILES) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  forget(realPath: string): void {
    this.#known.delete(realPath);
  }
}

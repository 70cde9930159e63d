/** Paths kept beyond those needed, so that pruning is rare. */
const SLACK = 4_096;

/**
 * The first paths in their order, out of ones that come in any order: no more is kept than what is
 * asked for and some slack, however much is found.
 */
export class SortedPaths {
  readonly #offset: number;
  readonly #limit: number;
  #paths: string[] = [];
  /** The last path that can still be needed. */
  #bound: string | undefined;

  constructor({ offset = 0, limit = Infinity }: { offset?: number | undefined; limit?: number | undefined }) {
    this.#offset = offset;
    this.#limit = limit;
  }

  /** Takes a batch of paths and puts it in order while more is on its way; whole runs are quickly merged at the end. */
  add(batch: readonly string[]): void {
    const bound = this.#bound;
    const wanted = bound === undefined ? batch : batch.filter((path) => path <= bound);
    for (const path of wanted.toSorted()) this.#paths.push(path);
    // One more than asked for tells whether there is more.
    const needed = this.#offset + this.#limit + 1;
    if (this.#paths.length <= needed + SLACK) return;
    this.#paths = this.#paths.toSorted().slice(0, needed);
    this.#bound = this.#paths.at(-1);
  }

  /** The paths from the offset up to the limit. */
  take(): { readonly paths: readonly string[]; readonly isTruncated: boolean } {
    const end = this.#offset + this.#limit;
    return { paths: this.#paths.toSorted().slice(this.#offset, end), isTruncated: this.#paths.length > end };
  }
}

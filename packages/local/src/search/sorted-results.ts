import { byCodeUnit } from '../files/entries.ts';

const MIN_KEPT = 1024;

interface FileResults<T> {
  readonly path: string;
  readonly items: readonly T[];
}

/**
 * The first results in the order of their paths, out of ones that come in any order: no more is
 * kept than a few times what is asked for, however much is found.
 */
export class SortedResults<T> {
  readonly #offset: number;
  readonly #limit: number;
  #files: FileResults<T>[] = [];
  #count = 0;
  #isPruned = false;
  /** Of the last path that can still be needed. */
  #bound: string | undefined;

  constructor({ offset = 0, limit = Infinity }: { offset?: number | undefined; limit?: number | undefined }) {
    this.#offset = offset;
    this.#limit = limit;
  }

  /** One more than asked for tells whether there is more. */
  get needed(): number {
    return this.#offset + this.#limit + 1;
  }

  /** Whether results of this path can still be among the first. */
  wants(path: string): boolean {
    return this.#bound === undefined || path <= this.#bound;
  }

  add(path: string, items: readonly T[]): void {
    if (!this.wants(path)) {
      this.#isPruned = true;
      return;
    }
    this.#files.push({ path, items });
    this.#count += items.length;
    if (this.#count > MIN_KEPT + 2 * this.needed) this.#prune();
  }

  /** The results from the offset up to the limit. */
  take(): { readonly items: readonly T[]; readonly isTruncated: boolean } {
    const items: T[] = [];
    let position = 0;
    for (const file of this.#sorted()) {
      for (const item of file.items) {
        if (position >= this.#offset && items.length < this.#limit) items.push(item);
        position += 1;
      }
    }
    return { items, isTruncated: this.#isPruned || position > this.#offset + items.length };
  }

  #sorted(): FileResults<T>[] {
    return this.#files.toSorted((a, b) => byCodeUnit(a.path, b.path));
  }

  #prune(): void {
    const sorted = this.#sorted();
    let count = 0;
    let kept = 0;
    while (kept < sorted.length && count < this.needed) {
      count += sorted[kept]?.items.length ?? 0;
      kept += 1;
    }
    this.#isPruned ||= kept < sorted.length;
    this.#files = sorted.slice(0, kept);
    this.#count = count;
    if (count >= this.needed) this.#bound = sorted[kept - 1]?.path;
  }
}

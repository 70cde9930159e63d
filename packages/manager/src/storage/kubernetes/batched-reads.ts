import { setImmediate } from 'node:timers/promises';

export interface BatchedReadsOptions<T> {
  readonly readOne: (id: string) => Promise<T | undefined>;
  /** Everything that there is, by its id. */
  readonly readAll: () => Promise<ReadonlyMap<string, T>>;
}

/** Fewer are read one by one. */
const LEAST_FOR_LISTING = 50;
/** A page of a listing has 500, and takes as long as ten reads. */
const LISTED_PER_READ = 50;

/**
 * Reads that come at once, answered by one listing where they are many: a reconciliation looks at every workspace that
 * there is. No answer is older than its question.
 */
export class BatchedReads<T> {
  readonly #options: BatchedReadsOptions<T>;
  #batch: { count: number; readonly answers: Promise<(id: string) => Promise<T | undefined>> } | undefined;
  #listed = 0;

  constructor(options: BatchedReadsOptions<T>) {
    this.#options = options;
  }

  async read(id: string): Promise<T | undefined> {
    this.#batch ??= { count: 0, answers: this.#answer() };
    this.#batch.count += 1;
    const answer = await this.#batch.answers;
    return await answer(id);
  }

  async #answer(): Promise<(id: string) => Promise<T | undefined>> {
    await setImmediate();
    const { count } = this.#batch ?? { count: 0 };
    // What comes from now on would get an answer that is older than its question.
    this.#batch = undefined;
    const { readOne, readAll } = this.#options;
    if (count < Math.max(LEAST_FOR_LISTING, this.#listed / LISTED_PER_READ)) return readOne;
    const all = await readAll();
    this.#listed = all.size;
    return async (id) => all.get(id);
  }
}

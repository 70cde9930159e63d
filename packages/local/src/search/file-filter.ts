import { PathPattern } from './path-pattern.ts';

/**
 * Which files are searched, in the way of ripgrep's own `--glob`: a pattern without a slash matches
 * at any depth, one with a slash from the searched directory on, and one after `!` leaves out.
 *
 * That option itself would bring back files that an ignore file names.
 */
export class FileFilter {
  readonly #pattern: PathPattern | undefined;
  readonly #isNegated: boolean;

  /** @throws `pattern-invalid` */
  constructor(glob: string | undefined) {
    this.#isNegated = glob?.startsWith('!') ?? false;
    const pattern = this.#isNegated ? glob?.slice(1) : glob;
    if (pattern === undefined) return;
    const isAnywhere = !pattern.includes('/');
    this.#pattern = new PathPattern(isAnywhere ? `**/${pattern}` : pattern.replace(/^\//, ''));
  }

  /** @param path what counts of it begins at `start` */
  matches(path: string, start: number): boolean {
    return this.#pattern === undefined || this.#pattern.matches(path, start) !== this.#isNegated;
  }

  /** Patterns of ripgrep's for the names of the files that can match; `undefined` where it can be any. */
  get names(): readonly string[] | undefined {
    return this.#isNegated ? undefined : this.#pattern?.lastNames;
  }
}

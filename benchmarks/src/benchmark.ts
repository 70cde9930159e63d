import type { Row } from './row.ts';

export interface Benchmark {
  /** As it is given on the command line; its rows bear it, or begin with it. */
  readonly name: string;
  /** Why it cannot run on this machine, if it cannot. */
  missing?(): Promise<string | undefined>;
  /**
   * @param scratch an empty directory, or the one that an earlier benchmark of this run had: what it
   * made there may be used again
   */
  run(scratch: string): Promise<readonly Row[]>;
}

/**
 * What is compared: ours, the floor (what node or ripgrep take without anyone between) and peers. A
 * method that is missing is something that a contender does not do. Paths are relative to its root.
 */
export interface Contender extends AsyncDisposable {
  readonly name: string;
  /** Runs `true`. */
  execTrue?(): Promise<void>;
  /** Resolves to the number of bytes, or of characters where a peer decodes. */
  readFile?(path: string): Promise<number>;
  writeFile?(path: string, content: string): Promise<void>;
  /** Replaces the only occurrence of a text. */
  editFile?(path: string, oldText: string, newText: string): Promise<void>;
  /** Resolves to the number of lines found. */
  grep?(pattern: string): Promise<number>;
  /** Resolves to the number of files found. */
  glob?(pattern: string): Promise<number>;
}

/** Opens a contender on a directory. */
export type OpenContender = (root: string) => Promise<Contender>;

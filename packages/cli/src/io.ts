/** What a command reads of its surroundings, and where it prints. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What relative paths are taken from. */
  readonly directory: string;
  /** Results, for programs and people. */
  readonly print: (line: string) => void;
  /** Everything else, on stderr. */
  readonly say: (text: string) => void;
  /** stderr is a terminal, on which a line may be written over. */
  readonly isTerminal: boolean;
  /** Aborted when the user asks for an end. */
  readonly signal: AbortSignal;
}

/** How a command ended, as the exit code of the process. */
export const EXIT = { fine: 0, failed: 1, usage: 2 } as const;

import type { Io } from '../io.ts';
import type { OptionTable } from '../options/option-table.ts';

/** One of the things that `agent-workspace` does. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What comes after the name, such as `[option]…`. */
  readonly usage: string;
  /** What it does, for its own help. */
  readonly description: string;
  readonly options: OptionTable;
  /** @returns the exit code @throws UsageError, WorkspaceError */
  readonly run: (argv: readonly string[], io: Io) => Promise<number>;
}

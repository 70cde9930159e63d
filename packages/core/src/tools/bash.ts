import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { backgroundOutcome, commandOutcome, MAX_OUTPUT_LENGTH } from './bash-result.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { type BuiltinCall, type BuiltinOutcome, defineBuiltin } from './define-builtin.ts';
import { findShell } from './shell.ts';
import type { Tool } from './tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** Holds the shown characters in every script, half from each end. */
const MAX_CAPTURED_BYTES = 2 * 4 * MAX_OUTPUT_LENGTH;

const TIMEOUT_PROBLEM = `it is in milliseconds, a whole number from 1 to ${MAX_TIMEOUT_MS}; set run_in_background for what takes longer`;

const parameters = lazy(() =>
  z.object({
    command: z
      .string()
      .min(1)
      .refine((text) => !text.includes('\0'), 'it has a NUL character')
      .describe('The command line.'),
    description: z.string().optional().describe('What the command does, in a few words.'),
    timeout: z
      .int(TIMEOUT_PROBLEM)
      .min(1, TIMEOUT_PROBLEM)
      .max(MAX_TIMEOUT_MS, TIMEOUT_PROBLEM)
      .optional()
      .describe(
        `Milliseconds until the command is ended; default ${DEFAULT_TIMEOUT_MS}, none in the background unless set.`,
      ),
    run_in_background: z
      .boolean()
      .optional()
      .describe('Start the command, return at once, and keep its output in a file. For servers and long jobs.'),
  }),
);

const description = `Runs a command line in a shell (bash, or sh where there is no bash) in the workspace's directory.

- Every call is a new shell: a changed directory or variable does not last. Standard input is closed.
- The result has stdout, then stderr behind a [stderr] line. A command that failed starts with "Exit code N", "Killed by SIGNAL" or "Timed out after N ms"; what it had put out until then follows.
- Of long output the first and last part are shown, ${MAX_OUTPUT_LENGTH} characters in all. Send it to a file to read the rest.
- A time-out ends the command with all its children. After a normal end, children left running with & live on until the workspace closes, and their output is lost; use run_in_background instead of &.
- A background command returns its number, process group and log file. Read the log to follow it, and end it with: kill -- -PROCESS_GROUP
- Prefer Read, Write, Edit, Glob and Grep for files: they page their results and keep encodings and line ends.`;

async function runCommand(
  { backend, recordDirectory, onBackground }: BuiltinContext,
  input: z.output<ReturnType<typeof parameters>>,
  { signal, onOutput }: BuiltinCall,
): Promise<BuiltinOutcome> {
  const argv = [await findShell(backend), '-c', input.command];
  if (input.run_in_background === true) {
    const label = input.description ?? input.command;
    const process = await backend.startBackground(argv, { recordDirectory, label, timeoutMs: input.timeout });
    onBackground(process);
    return backgroundOutcome(process);
  }
  const timeoutMs = input.timeout ?? DEFAULT_TIMEOUT_MS;
  const result = await backend.exec(argv, { signal, timeoutMs, onOutput, maxOutputBytes: MAX_CAPTURED_BYTES });
  return commandOutcome(result);
}

/** The tool that runs commands. */
export function bashTool(context: BuiltinContext): Tool {
  return defineBuiltin(
    {
      name: 'Bash',
      description,
      parameters: parameters(),
      annotations: { title: 'Run a command', destructiveHint: true, openWorldHint: true },
      isReadOnly: false,
      isConcurrencySafe: false,
      isSelfPaging: false,
      run: (input, call) => runCommand(context, input, call),
    },
    context,
  );
}

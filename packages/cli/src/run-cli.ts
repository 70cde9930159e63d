import { WorkspaceError } from '@agent-workspace/core';
import type { Command } from './commands/command.ts';
import { doctorCommand } from './commands/doctor.ts';
import { gcCommand } from './commands/gc.ts';
import { imageCommand } from './commands/image.ts';
import { lsCommand } from './commands/ls.ts';
import { mcpCommand } from './commands/mcp.ts';
import { EXIT, type Io } from './io.ts';
import { optionsHelp } from './options/option-table.ts';
import { packageVersion } from './package-version.ts';
import { UsageError } from './usage-error.ts';

const COMMANDS: readonly Command[] = [mcpCommand, lsCommand, doctorCommand, gcCommand, imageCommand];

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a command reads and where it prints, where it is not this process's own. */
export type CliSurroundings = Partial<Io>;

/**
 * Runs the command line, as the command `agent-workspace` does.
 *
 * @param argv without the names of the program and its file
 * @returns the exit code: 0, 1 where it failed, 2 where the command line does not make sense
 */
export async function runCli(argv: readonly string[], surroundings: CliSurroundings = {}): Promise<number> {
  const ended = new AbortController();
  const onSignal = (): void => ended.abort(new Error('The user asked for an end.'));
  // Once each: a second signal ends the process at once.
  for (const signal of ENDING_SIGNALS) process.once(signal, onSignal);
  const io: Io = {
    environment: process.env,
    directory: process.cwd(),
    print: (line) => void process.stdout.write(`${line}\n`),
    say: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
    signal: ended.signal,
    ...surroundings,
  };
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return explain(error, io);
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) return answerWithoutCommand(name, io);
  if (rest.includes('--help') || rest.includes('-h')) {
    io.print(commandHelp(command));
    return EXIT.fine;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.say(`${error.message}\n\nagent-workspace ${command.name} --help says what it takes.\n`);
    return EXIT.usage;
  }
}

function answerWithoutCommand(name: string | undefined, io: Io): number {
  if (name === '--version' || name === '-v') {
    io.print(packageVersion());
    return EXIT.fine;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    io.print(usage());
    return EXIT.fine;
  }
  const problem = name === undefined ? 'Name a command.' : `There is no command ${JSON.stringify(name)}.`;
  io.say(`${problem}\n\n${usage()}\n`);
  return EXIT.usage;
}

function explain(error: unknown, io: Io): number {
  if (io.signal.aborted) {
    io.say('Stopped.\n');
  } else if (WorkspaceError.isInstance(error)) {
    io.say(`${error.message} (${error.code})\n`);
  } else {
    io.say(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
  return EXIT.failed;
}

function usage(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return `Usage: agent-workspace COMMAND [option]…

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

  --help      this, or with a command what it takes
  --version   the version`;
}

function commandHelp({ name, usage: after, description, options }: Command): string {
  return `Usage: agent-workspace ${name} ${after}\n\n${description}\n\n${optionsHelp(options)}`;
}

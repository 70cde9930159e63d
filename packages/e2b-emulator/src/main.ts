#!/usr/bin/env node
import { parseCommandLine, USAGE } from './command-line.ts';
import { E2BEmulator } from './e2b-emulator.ts';

/** Runs an emulator until it is told to end, and prints the variables that lead there. */
async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2));
  if (command.kind === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const log = (message: string): void => void process.stderr.write(`e2b-emulator: ${message}\n`);
  const emulator = await E2BEmulator.start({ ...command.options, log: command.isQuiet ? undefined : log });
  if (command.isPreparation) {
    await emulator.close();
    return;
  }
  process.stdout.write('# Lead the SDK here:\n');
  printVariables(emulator.env);
  process.stdout.write('# For your own requests to sandbox.getHost(), from Node:\n');
  printVariables(emulator.nodeEnv);
  const end = (): void => {
    emulator.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGINT', end).once('SIGTERM', end);
}

function printVariables(variables: object): void {
  for (const [name, value] of Object.entries(variables)) process.stdout.write(`export ${name}='${value}'\n`);
}

function fail(error: unknown): void {
  process.stderr.write(`e2b-emulator: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);

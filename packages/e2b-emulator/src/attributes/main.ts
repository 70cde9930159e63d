import { runAttributesCommand } from './file-attributes.ts';

/** A program: `node file-attributes.cjs setfattr|getfattr ARGUMENT…`, in templates that do not have these commands. */
function main([command, ...argv]: readonly string[]): void {
  if (command !== 'setfattr' && command !== 'getfattr') throw new Error(`no such command: ${command}`);
  try {
    process.stdout.write(runAttributesCommand(command, argv));
  } catch (error) {
    process.stderr.write(`${command}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));

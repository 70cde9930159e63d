/**
 * Checks the package in the working directory as its users get it: packs it, then runs publint and
 * attw on the tarball.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packPackage } from './src/pack-package.ts';
import { CommandFailedError, runCommand } from './src/run-command.ts';

const PUBLINT = fileURLToPath(new URL('cli.js', import.meta.resolve('publint')));
const ATTW = fileURLToPath(new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')));

async function findProblems(directory: string, destination: string): Promise<readonly string[]> {
  const { tarball, files } = await packPackage(directory, destination);
  const problems = ['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']
    .filter((file) => !files.includes(file))
    .map((file) => `The tarball lacks ${file}. Its files: ${files.join(', ')}`);
  const linters = [
    [process.execPath, PUBLINT, tarball, '--strict'],
    // The registry is not asked for types of ours: they ship with the package.
    [process.execPath, ATTW, tarball, '--profile', 'esm-only', '--no-definitely-typed', '--no-color'],
  ];
  for (const argv of linters) {
    try {
      await runCommand(argv, { cwd: directory });
    } catch (error) {
      if (!(error instanceof CommandFailedError)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}

const destination = await mkdtemp(join(tmpdir(), 'agent-workspace-pack-'));
try {
  const problems = await findProblems(process.cwd(), destination);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  await rm(destination, { recursive: true, force: true });
}

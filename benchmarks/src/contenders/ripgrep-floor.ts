import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import type { Contender } from './contender.ts';

const run = promisify(execFile);

/** Ripgrep alone, started for each search, its output read to the end. */
export async function openRipgrepFloor(root: string): Promise<Contender> {
  const countLines = async (args: readonly string[]): Promise<number> => {
    const { stdout } = await run(rgPath, ['--no-config', '--color=never', ...args, root], {
      maxBuffer: 256 * 1024 * 1024,
    });
    return stdout.split('\n').length - 1;
  };
  return {
    name: 'ripgrep',
    grep: (pattern) => countLines(['--line-number', '--no-heading', '--regexp', pattern]),
    glob: (pattern) => countLines(['--files', '--glob', pattern]),
    async [Symbol.asyncDispose]() {},
  };
}

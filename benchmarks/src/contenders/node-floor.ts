import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender } from './contender.ts';

/**
 * Node alone, with its synchronous calls, which are the quickest for one file: the least that anyone
 * on top of it can take.
 */
export async function openNodeFloor(root: string): Promise<Contender> {
  return {
    name: 'node',
    async execTrue() {
      const child = spawn('true', { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
      await once(child, 'close');
    },
    async readFile(path) {
      return readFileSync(join(root, path)).length;
    },
    async writeFile(path, content) {
      writeFileSync(join(root, path), content);
    },
    async editFile(path, oldText, newText) {
      const file = join(root, path);
      const text = readFileSync(file, 'utf8');
      writeFileSync(
        file,
        text.replace(oldText, () => newText),
      );
    },
    async [Symbol.asyncDispose]() {},
  };
}

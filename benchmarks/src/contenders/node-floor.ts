import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contender } from './contender.ts';

/** Node alone: the least that anyone on top of it can take. */
export async function openNodeFloor(root: string): Promise<Contender> {
  return {
    name: 'node',
    async execTrue() {
      const child = spawn('true', { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
      await once(child, 'close');
    },
    async readFile(path) {
      return (await readFile(join(root, path))).length;
    },
    async writeFile(path, content) {
      await writeFile(join(root, path), content);
    },
    async editFile(path, oldText, newText) {
      const file = join(root, path);
      const text = await readFile(file, 'utf8');
      await writeFile(
        file,
        text.replace(oldText, () => newText),
      );
    },
    async [Symbol.asyncDispose]() {},
  };
}

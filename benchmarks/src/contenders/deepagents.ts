import { dirname } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { LocalShellBackend } from 'deepagents/node';
import type { Contender } from './contender.ts';

function succeed<T extends { readonly error?: string | undefined }>(result: T): T {
  if (result.error !== undefined) throw new Error(`deepagents: ${result.error}`);
  return result;
}

/** deepagents' backend for this machine, confined to its root as ours is (`virtualMode`). */
export async function openDeepagents(root: string): Promise<Contender> {
  // It looks for ripgrep on the PATH, and searches in JavaScript where there is none.
  process.env['PATH'] = `${dirname(rgPath)}:${process.env['PATH'] ?? ''}`;
  const backend = await LocalShellBackend.create({ rootDir: root, virtualMode: true });
  return {
    name: 'deepagents',
    async execTrue() {
      await backend.execute('true');
    },
    async readFile(path) {
      return succeed(await backend.readRaw(`/${path}`)).data?.content.length ?? 0;
    },
    async writeFile(path, content) {
      succeed(await backend.write(`/${path}`, content));
    },
    async editFile(path, oldText, newText) {
      succeed(await backend.edit(`/${path}`, oldText, newText));
    },
    async grep(pattern) {
      return succeed(await backend.grep(pattern)).matches?.length ?? 0;
    },
    async glob(pattern) {
      return succeed(await backend.glob(pattern)).files?.length ?? 0;
    },
    async [Symbol.asyncDispose]() {
      await backend.close();
    },
  };
}

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = new URL('./', import.meta.url);
const DOCUMENTS = new URL('../../../docs/recipes/', import.meta.url);

/** A block that shows one of our files begins with its path. */
const SHOWN = /```ts\n\/\/ apps\/recipes\/src\/(?<name>\S+)\n\n(?<code>[^]*?)```/g;

it('shows the recipes as they are tested', async () => {
  const shown: string[] = [];
  for (const document of await readdir(DOCUMENTS)) {
    const text = await readFile(new URL(document, DOCUMENTS), 'utf8');
    for (const { groups } of text.matchAll(SHOWN)) {
      const { name = '', code } = groups ?? {};
      shown.push(name);
      expect(code, `${document} shows ${name}`).toBe(await readFile(new URL(name, SOURCES), 'utf8'));
    }
  }
  const recipes = (await readdir(fileURLToPath(SOURCES))).filter((name) => name.endsWith('-agent.ts'));
  expect(shown.toSorted()).toEqual(recipes.toSorted());
});

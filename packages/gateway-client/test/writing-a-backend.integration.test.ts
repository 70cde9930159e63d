import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');

it('docs/writing-a-backend.md shows the engine that these tests run, to the letter', async () => {
  const engine = await read('engine/process-workspace.ts');
  expect(await read('../../../docs/writing-a-backend.md')).toContain(`\n\`\`\`ts\n${engine}`);
});

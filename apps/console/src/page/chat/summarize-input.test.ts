import { expect, it } from 'vitest';
import { summarizeInput } from './summarize-input.ts';

it.each([
  [{ file_path: 'notes/1.md', content: 'x' }, 'notes/1.md'],
  [{ limit: 3, command: 'ls\n  -l' }, 'ls -l'],
  [{ limit: 3 }, '{"limit":3}'],
  [{}, '{}'],
  [undefined, ''],
  ['plain', 'plain'],
  [{ text: 'a'.repeat(200) }, `${'a'.repeat(120)} …`],
])('%j in a line', (input, line) => {
  expect(summarizeInput(input)).toBe(line);
});

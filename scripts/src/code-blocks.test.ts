import { describe, expect, it } from 'vitest';
import { extractCodeBlocks, extractInstalledPackages, matchesOutput } from './code-blocks.ts';

const markdown = (...lines: readonly string[]): string => lines.join('\n');

describe('extractCodeBlocks', () => {
  it('tells code that is run from code that is compiled only, and leaves other languages alone', () => {
    const blocks = extractCodeBlocks(
      markdown('# Title', '```ts', 'run();', '```', '```sh', 'npm i', '```', '~~~ts no-run', 'compile();', '~~~'),
    );
    expect(blocks).toEqual([
      { line: 3, code: 'run();', isCompiledOnly: false, expectedOutput: undefined },
      { line: 9, code: 'compile();', isCompiledOnly: true, expectedOutput: undefined },
    ]);
  });

  it('takes a text output block as the output only of the block right before it', () => {
    const blocks = extractCodeBlocks(
      markdown(
        '```ts',
        'a',
        '```',
        '',
        '```text output',
        '1',
        '2',
        '```',
        '```ts',
        'b',
        '```',
        'So:',
        '```text output',
        '3',
        '```',
      ),
    );
    expect(blocks.map((block) => block.expectedOutput)).toEqual(['1\n2', undefined]);
  });

  it('keeps a shorter fence inside a longer one, and removes the indent of a list', () => {
    expect(extractCodeBlocks(markdown('````md', '```ts', 'inner', '```', '````'))).toEqual([]);
    expect(extractCodeBlocks(markdown('  ```ts', '  if (a) {', '    b();', '  }', '  ```'))[0]?.code).toBe(
      'if (a) {\n  b();\n}',
    );
  });

  it('refuses a mistyped flag and a block without an end', () => {
    expect(() => extractCodeBlocks(markdown('```ts norun', '```'))).toThrow(
      'Line 1: a code block is "ts" or "ts no-run"',
    );
    expect(() => extractCodeBlocks(markdown('text', '```ts', 'x'))).toThrow('starts on line 2 has no end');
  });
});

describe('extractInstalledPackages', () => {
  it('reads the names once, without options', () => {
    expect(
      extractInstalledPackages(markdown('```sh', 'npm install @agent-workspace/ai-sdk ai', 'npm i -D ai', 'ls', '```')),
    ).toEqual(['@agent-workspace/ai-sdk', 'ai']);
  });
});

describe('matchesOutput', () => {
  it('compares literally, but for an ellipsis within a line', () => {
    expect(matchesOutput('found (3)\nin 12 ms\n', 'found (3)\nin … ms')).toBe(true);
    expect(matchesOutput('found 33)\nin 12 ms\n', 'found (3)\nin … ms')).toBe(false);
    expect(matchesOutput('a\nb', '…')).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { at, call, fail, nextCallOf, put, sh, succeed, textOf, type ToolsContractOptions } from './tools-subject.ts';

function globContract(options: ToolsContractOptions): void {
  describe('tools: Glob', () => {
    it('tools:glob-names: finds names with brackets and parentheses, also as path [T29]', async () => {
      await using subject = await options.open();
      await put(subject, 'app/(app)/layout.tsx', '');
      await put(subject, 'app/[id]/page.tsx', '');
      const both = ['app/(app)/layout.tsx', 'app/[id]/page.tsx'].map((path) => at(subject, path));
      expect(await succeed(subject, 'Glob', { pattern: '**/*.tsx' })).toBe(both.join('\n'));
      for (const [index, path] of ['app/(app)', 'app/[id]'].entries()) {
        expect(await succeed(subject, 'Glob', { pattern: '**/*.tsx', path })).toBe(both[index]);
      }
    });

    it('tools:glob-absolute: takes an absolute pattern inside, and refuses one outside of the roots [T30]', async () => {
      await using subject = await options.open();
      await put(subject, 'src/a/b.ts', '');
      const expected = at(subject, 'src/a/b.ts');
      for (const pattern of [at(subject, 'src/**/*.ts'), expected, './src/**/*.ts', 'src/../src/**/*.ts']) {
        expect(await succeed(subject, 'Glob', { pattern })).toBe(expected);
      }
      const isConfined = subject.backend.roots !== null;
      const startedAt = performance.now();
      const outside = await call(subject, { tool: 'Glob', input: { pattern: '/etc/**/*.conf', head_limit: 5 } });
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      expect(outside.state === 'error').toBe(isConfined);
      const climbing = await call(subject, { tool: 'Glob', input: { pattern: '../*', head_limit: 5 } });
      expect(climbing.state === 'error').toBe(isConfined);
      expect(await fail(subject, 'Glob', { pattern: '*/../../*' })).toContain('..');
    });

    it('tools:glob-missing: tells a missing directory from an empty one [T41]', async () => {
      await using subject = await options.open();
      await sh(subject, 'mkdir empty');
      expect(await fail(subject, 'Glob', { pattern: '**/*', path: 'nope/' })).toContain('nothing at');
      expect(await succeed(subject, 'Glob', { pattern: '**/*', path: 'empty' })).toContain('No files');
    });

    it('tools:glob-pages: cuts at head_limit and gives the exact call for more [T31]', async () => {
      await using subject = await options.open();
      await sh(subject, 'mkdir t; cd t; seq -w 1 600 | xargs touch');
      const seen: string[] = [];
      let input: Readonly<Record<string, unknown>> | undefined = { pattern: 't/*' };
      let calls = 0;
      while (input !== undefined) {
        const result = await call(subject, { tool: 'Glob', input });
        seen.push(
          ...textOf(result)
            .split('\n')
            .filter((line) => line.startsWith('/')),
        );
        input = 'next_call' in result.metadata ? nextCallOf(result) : undefined;
        calls += 1;
      }
      expect(calls).toBe(3);
      expect(new Set(seen).size).toBe(600);
      expect(seen).toEqual(seen.toSorted());
      const everything = await call(subject, { tool: 'Glob', input: { pattern: 't/*', head_limit: 0 } });
      expect(textOf(everything).split('\n')).toEqual(seen);
      const limited = await call(subject, { tool: 'Glob', input: { pattern: 't/*', head_limit: 100 } });
      expect(limited.metadata).toMatchObject({ count: 100, is_truncated: true });
      expect(await succeed(subject, 'Glob', { pattern: 't/*', offset: 700 })).toContain('nothing past offset 700');
    });

    it('tools:glob-loops: ends on loops of links and does not leave by one [T32]', async () => {
      await using subject = await options.open();
      await sh(subject, 'mkdir d; echo x > d/f; ln -s .. d/loop; ln -s /etc d/out');
      const paths = (await succeed(subject, 'Glob', { pattern: '**/*' })).split('\n');
      expect(paths.filter((path) => path.endsWith('/f'))).toEqual([at(subject, 'd/f')]);
      expect(paths.filter((path) => path.includes('/out/') || path.startsWith('/etc'))).toEqual([]);
    });

    it('tools:glob-invalid: says what is wrong with a pattern', async () => {
      await using subject = await options.open();
      expect(await fail(subject, 'Glob', { pattern: 'a[' })).toContain('a[');
      expect(await fail(subject, 'Glob', {})).toContain('- pattern: it is required');
      expect(await fail(subject, 'Glob', { pattern: '*', head_limit: -1 })).toContain('- head_limit: ');
    });
  });
}

function grepContract(options: ToolsContractOptions): void {
  describe('tools: Grep', () => {
    it('tools:grep-modes: gives paths, lines or counts', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', 'hit\nno\nHIT hit\n');
      await put(subject, 'sub/b.md', 'no\nhit\n');
      const [a, b] = [at(subject, 'a.txt'), at(subject, 'sub/b.md')];
      const grep = (input: Record<string, unknown>): Promise<string> =>
        succeed(subject, 'Grep', { pattern: 'hit', ...input });
      expect(await grep({})).toBe(`${a}\n${b}`);
      expect(await grep({ output_mode: 'content' })).toBe(`${a}:1:hit\n${a}:3:HIT hit\n${b}:2:hit`);
      expect(await grep({ output_mode: 'content', n: false, glob: '*.md' })).toBe(`${b}:hit`);
      expect(await grep({ output_mode: 'count' })).toBe(`${a}:2\n${b}:1`);
      expect(await grep({ type: 'md' })).toBe(b);
      expect(await grep({ path: 'sub' })).toBe(b);
      expect(await grep({ path: a, output_mode: 'content' })).toBe(`${a}:1:hit\n${a}:3:HIT hit`);
      const upper = { pattern: '^hit h', path: 'a.txt', output_mode: 'content' };
      for (const ignoring of [{ i: true }, { case_insensitive: 'true' }, { '-i': true }]) {
        expect(await succeed(subject, 'Grep', { ...upper, ...ignoring })).toBe(`${a}:3:HIT hit`);
      }
      expect(await grep({ glob: at(subject, 'sub/*.md') })).toBe(b);
    });

    it('tools:grep-context: marks context lines and the gaps between groups', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', '1\nhit\n3\n4\n5\n6\nhit\n8\n');
      const path = at(subject, 'a.txt');
      const around = await succeed(subject, 'Grep', { pattern: 'hit', output_mode: 'content', '-C': 1 });
      const lines = ['-1-1', ':2:hit', '-3-3', '--', '-6-6', ':7:hit', '-8-8'];
      expect(around).toBe(lines.map((line) => (line === '--' ? line : `${path}${line}`)).join('\n'));
      const after = await succeed(subject, 'Grep', { pattern: 'hit', output_mode: 'content', '-A': 1, n: false });
      expect(after).toBe(`${path}:hit\n${path}-3\n--\n${path}:hit\n${path}-8`);
    });

    it('tools:grep-none: says that nothing matched, and never when something failed [T38]', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', 'hit\n');
      expect(await succeed(subject, 'Grep', { pattern: 'absent' })).toContain('No matches');
      expect(await fail(subject, 'Grep', { pattern: 'a(' })).toContain('a(');
      expect(await fail(subject, 'Grep', { pattern: 'a', path: 'nope' })).toContain('nothing at');
      expect(await fail(subject, 'Grep', { pattern: 'a', type: 'nosuchtype' })).not.toContain('No matches');
      expect(await fail(subject, 'Grep', { pattern: 'a', output_mode: 'lines' })).toContain('- output_mode: ');
      expect(await fail(subject, 'Grep', { pattern: 'a', glob: '/etc/*' })).toContain('relative');
    });

    it('tools:grep-closed: is an error once the backend is gone [T39]', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', 'hit\n');
      await subject.backend.close();
      const text = await fail(subject, 'Grep', { pattern: 'hit' });
      expect(text).not.toContain('No matches');
    });

    it('tools:grep-colons: keeps a name with colons whole [T36]', async () => {
      await using subject = await options.open();
      await put(subject, 'a:12:b.txt', 'hit\n');
      const text = await succeed(subject, 'Grep', { pattern: 'hit', output_mode: 'content' });
      expect(text).toBe(`${at(subject, 'a:12:b.txt')}:1:hit`);
    });

    it('tools:grep-line-ends: finds lines that end in CRLF, without showing the return [T37]', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', 'hit\r\nno\r\n');
      for (const pattern of ['hit', 'hit$']) {
        const text = await succeed(subject, 'Grep', { pattern, output_mode: 'content' });
        expect(text).toBe(`${at(subject, 'a.txt')}:1:hit`);
      }
    });

    it('tools:grep-special-files: passes over a FIFO [T25]', async () => {
      await using subject = await options.open();
      await sh(subject, 'echo hit > a.txt; mkfifo p');
      const startedAt = performance.now();
      expect(await succeed(subject, 'Grep', { pattern: 'hit' })).toBe(at(subject, 'a.txt'));
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    });

    it('tools:grep-deep: finds what is far down in a file, whatever the limit [T23]', async () => {
      await using subject = await options.open();
      await sh(subject, 'seq 1 1000 | sed "900s/.*/needle/" > a.txt');
      const input = { pattern: 'needle', output_mode: 'content', head_limit: 1 };
      expect(await succeed(subject, 'Grep', input)).toBe(`${at(subject, 'a.txt')}:900:needle`);
    });

    it('tools:grep-long-line: reports a hit in a long line, cut with a mark [T43]', async () => {
      await using subject = await options.open();
      await put(subject, 'min.js', `${'x'.repeat(100_000)}needle${'y'.repeat(100_000)}\n`);
      const text = await succeed(subject, 'Grep', { pattern: 'needle', output_mode: 'content' });
      expect(text).toContain(`${at(subject, 'min.js')}:1:`);
      expect(text).toContain('needle');
      expect(text.endsWith('[… line cut]')).toBe(true);
      expect(text.length).toBeLessThan(3_000);
    });

    it('tools:grep-pages: cuts at head_limit and gives the exact call for more', async () => {
      await using subject = await options.open();
      await sh(subject, 'seq 1 600 > a.txt');
      const seen: string[] = [];
      let input: Readonly<Record<string, unknown>> | undefined = {
        pattern: '.',
        path: 'a.txt',
        output_mode: 'content',
        n: false,
      };
      while (input !== undefined) {
        const result = await call(subject, { tool: 'Grep', input });
        seen.push(
          ...textOf(result)
            .split('\n')
            .filter((line) => line.startsWith('/')),
        );
        input = 'next_call' in result.metadata ? nextCallOf(result) : undefined;
      }
      expect(seen).toEqual(Array.from({ length: 600 }, (_, index) => `${at(subject, 'a.txt')}:${index + 1}`));
    });

    it('tools:grep-bounded: keeps a result with head_limit 0 small', async () => {
      await using subject = await options.open();
      await sh(subject, 'seq 1 50000 > a.txt');
      const result = await call(subject, {
        tool: 'Grep',
        input: { pattern: '.', path: 'a.txt', output_mode: 'content', head_limit: 0 },
      });
      expect(textOf(result).length).toBeLessThan(101_000);
      const next = await call(subject, { tool: 'Grep', input: nextCallOf(result) });
      const count = result.metadata['count'] as number;
      expect(textOf(next).split('\n')[0]).toBe(`${at(subject, 'a.txt')}:${count + 1}:${count + 1}`);
    });

    it('tools:grep-multiline: matches over line ends where asked to', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', 'one\ntwo\n');
      expect(await succeed(subject, 'Grep', { pattern: 'one\\ntwo', multiline: true })).toBe(at(subject, 'a.txt'));
    });
  });
}

/** Glob and Grep: what they find, and what they say of what they did not. */
export function toolsSearchContract(options: ToolsContractOptions): void {
  globContract(options);
  grepContract(options);
}

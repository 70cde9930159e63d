import { describe, expect, it } from 'vitest';
import { at, bytesOf, call, fail, put, sh, succeed, textOf, type ToolsContractOptions } from './tools-subject.ts';

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function writeContract(options: ToolsContractOptions): void {
  describe('tools: Write', () => {
    it('tools:write-exact: stores the text byte for byte and says how much it was [T12]', async () => {
      await using subject = await options.open();
      const text = await succeed(subject, 'Write', { file_path: 't.txt', content: '你好世界' });
      expect(text).toBe(`Created ${at(subject, 't.txt')} (12 bytes, 1 line).`);
      expect(await bytesOf(subject, 't.txt')).toBe(latin1('你好世界'));
      await succeed(subject, 'Write', { file_path: 'u.txt', content: '\u{FEFF}a\r\nb\n\r$& \u{0}' });
      expect(await bytesOf(subject, 'u.txt')).toBe(latin1('\u{FEFF}a\r\nb\n\r$& \u{0}'));
    });

    it('tools:write-parents: makes missing directories [D11, X08]', async () => {
      await using subject = await options.open();
      await succeed(subject, 'Write', { file_path: 'x/y/z.txt', content: 'z' });
      expect(await bytesOf(subject, 'x/y/z.txt')).toBe('z');
      await succeed(subject, 'Write', { file_path: '..cache/a.txt', content: 'a' });
      expect(await bytesOf(subject, '..cache/a.txt')).toBe('a');
    });

    it('tools:write-overwrite: keeps mode and links, and says what it overwrote', async () => {
      await using subject = await options.open();
      await sh(subject, 'echo old > real.sh; chmod 755 real.sh; ln -s real.sh link.sh');
      const text = await succeed(subject, 'Write', { file_path: 'link.sh', content: 'new\n' });
      expect(text).toContain('Overwrote');
      expect(text).toContain('had not read');
      expect(await sh(subject, 'cat real.sh; readlink link.sh; test -x real.sh && echo runs')).toBe(
        'new\nreal.sh\nruns\n',
      );
      const again = await succeed(subject, 'Write', { file_path: 'real.sh', content: 'newer\n' });
      expect(again).toBe(`Overwrote ${at(subject, 'real.sh')} (6 bytes, 1 line).`);
    });

    it('tools:write-changed: refuses a file that changed since this session read it', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', 'one\n');
      await succeed(subject, 'Read', { file_path: 'a.txt' });
      await put(subject, 'a.txt', 'two\n');
      expect(await fail(subject, 'Write', { file_path: 'a.txt', content: 'three\n' })).toContain('changed since');
      expect(await bytesOf(subject, 'a.txt')).toBe('two\n');
      await succeed(subject, 'Read', { file_path: 'a.txt' });
      await succeed(subject, 'Write', { file_path: 'a.txt', content: 'three\n' });
      await sh(subject, 'rm a.txt');
      expect(await succeed(subject, 'Write', { file_path: 'a.txt', content: 'four\n' })).toContain('Created');
    });

    it('tools:write-refused: refuses directories and text that UTF-8 cannot hold', async () => {
      await using subject = await options.open();
      await sh(subject, 'mkdir dir');
      expect(await fail(subject, 'Write', { file_path: 'dir', content: 'x' })).toContain('directory');
      expect(await fail(subject, 'Write', { file_path: 'a.txt', content: 'x\u{D800}' })).toContain('surrogate');
      expect(await subject.backend.stat('a.txt')).toBeUndefined();
    });
  });
}

function bordersContract(options: ToolsContractOptions): void {
  describe('tools: borders', () => {
    it('tools:protected: refuses to write what the workspace keeps for itself, by any path', async () => {
      await using subject = await options.open();
      await sh(
        subject,
        `mkdir -p .workspace skills/agent; ln -s .workspace w; ln -s .mcp m; ln -s skills s; echo '[]' > .mcp; cp .mcp before`,
      );
      const stateBefore = await subject.backend.stat('.workspace/state.json');
      const paths = [
        '.mcp',
        'm',
        './x/../.mcp',
        at(subject, '.mcp'),
        '.workspace/state.json',
        '.workspace/new/file',
        'w/state.json',
        'skills/.skills',
        's/.skills',
        'skills/agent/.index',
        'skills/agent/.index/file',
        '.mcp/file',
        'workspace:///.mcp',
      ];
      for (const path of paths) {
        const text = await fail(subject, 'Write', { file_path: path, content: 'x' });
        expect(text).toBe(`${path} belongs to the workspace itself and is not written by tools.`);
      }
      const edit = { file_path: 'm', old_string: '[]', new_string: '[1]' };
      expect(await fail(subject, 'Edit', edit)).toContain('belongs to the workspace itself');
      expect(await sh(subject, 'cmp .mcp before && ls -A skills/agent')).toBe('');
      expect(await subject.backend.stat('.workspace/state.json')).toEqual(stateBefore);
      expect(await subject.backend.stat('.workspace/new')).toBeUndefined();
      await succeed(subject, 'Write', { file_path: 'skills/agent/SKILL.md', content: 'x' });
      await succeed(subject, 'Write', { file_path: 'sub/.mcp', content: 'x' });
    });

    it('tools:roots-links: follows no link out of the roots, for reading or writing [X03, X04]', async () => {
      await using subject = await options.open();
      const outside = (await sh(subject, 'mktemp -d')).trim();
      await sh(subject, `echo secret > ${outside}/s.txt; ln -s ${outside} d; ln -s ${outside}/n.txt n`);
      const results = [
        await call(subject, { tool: 'Read', input: { file_path: 'd/s.txt' } }),
        await call(subject, { tool: 'Write', input: { file_path: 'd/new/x.txt', content: 'x' } }),
        await call(subject, { tool: 'Write', input: { file_path: 'n', content: 'x' } }),
        await call(subject, { tool: 'Grep', input: { pattern: 'secret', path: 'd' } }),
        await call(subject, { tool: 'Glob', input: { pattern: '*', path: 'd' } }),
      ];
      const isConfined = subject.backend.roots !== null;
      const states = results.map(({ state }) => state);
      expect(states).toEqual(Array.from({ length: 5 }, () => (isConfined ? 'error' : 'success')));
      const names = (await sh(subject, `cd ${outside}; find . -type f | sort; rm -rf ${outside}`)).trim().split('\n');
      expect(names).toEqual(isConfined ? ['./s.txt'] : ['./n.txt', './new/x.txt', './s.txt']);
    });

    it('tools:roots-absolute: never puts an absolute path under the workspace [X06]', async () => {
      await using subject = await options.open();
      const outside = (await sh(subject, 'mktemp -d')).trim();
      const result = await call(subject, { tool: 'Write', input: { file_path: `${outside}/x`, content: 'x' } });
      expect(result.state).toBe(subject.backend.roots === null ? 'success' : 'error');
      expect(await subject.backend.stat(at(subject, outside))).toBeUndefined();
      await sh(subject, `rm -rf ${outside}`);
    });

    it('tools:roots-relative: refuses a relative path out of the roots [X07]', async () => {
      await using subject = await options.open();
      const path = `${'../'.repeat(12)}etc/passwd`;
      const result = await call(subject, { tool: 'Read', input: { file_path: path } });
      expect(result.state).toBe(subject.backend.roots === null ? 'success' : 'error');
      expect(textOf(result).includes('root:')).toBe(subject.backend.roots === null);
    });
  });
}

function editContract(options: ToolsContractOptions): void {
  describe('tools: Edit', () => {
    it('tools:edit-literal: puts in dollar signs as they are typed [T01]', async () => {
      await using subject = await options.open();
      for (const replaceAll of [false, true]) {
        await put(subject, 'p.js', 'log("done");\n');
        const text = await succeed(subject, 'Edit', {
          file_path: 'p.js',
          old_string: 'done',
          new_string: '$& ok $1 $$',
          replace_all: replaceAll,
        });
        expect(await bytesOf(subject, 'p.js')).toBe('log("$& ok $1 $$");\n');
        expect(text).toBe(`Replaced 1 occurrence in ${at(subject, 'p.js')}.\n     1\tlog("$& ok $1 $$");`);
      }
    });

    it.each([
      ['one line [T03] [A11]', 'one\r\ntwo\r\nthree\r\n', 'two', '2', 'one\r\n2\r\nthree\r\n'],
      ['over line ends', 'one\r\ntwo\r\nthree\r\n', 'one\ntwo\n', 'one\n1.5\ntwo\n', 'one\r\n1.5\r\ntwo\r\nthree\r\n'],
      ['a new line in a line', 'one\r\ntwo', 'two', 'two\nthree', 'one\r\ntwo\r\nthree'],
      ['mixed line ends', 'a\nb\r\nc\nd\r\n', 'b\nc\n', 'b\nX\nc\n', 'a\nb\r\nX\nc\nd\r\n'],
      ['joining lines', 'a\r\nfoo\r\n', '\nfoo', 'bar', 'abar\r\n'],
      ['line ends that are meant [T05]', 'a\r\nb\r\n', 'a\r\n', 'a\n', 'a\nb\r\n'],
      ['with the line end [T11]', 'a\nb\nc\n', 'b\n', 'B\n', 'a\nB\nc\n'],
      ['without the line end [T11]', 'a\nb\nc\n', 'b', 'B', 'a\nB\nc\n'],
      ['a byte order mark [T09]', '\u{FEFF}a\n', 'a', 'b', '\u{FEFF}b\n'],
      ['all of it', 'a\n', 'a\n', '', ''],
    ])('tools:edit-bytes: changes nothing but what was asked: %s', async (_name, before, oldText, newText, after) => {
      await using subject = await options.open();
      await put(subject, 'f', before);
      await succeed(subject, 'Edit', { file_path: 'f', old_string: oldText, new_string: newText });
      expect(await bytesOf(subject, 'f')).toBe(latin1(after));
    });

    it('tools:edit-no-change: never reports success for the same bytes [T05] [T16]', async () => {
      await using subject = await options.open();
      await put(subject, 'x', 'x\n');
      const same = await fail(subject, 'Edit', { file_path: 'x', old_string: 'x', new_string: 'x' });
      expect(same).toContain('are the same');
      expect(same).not.toContain('not found');
      const ends = await fail(subject, 'Edit', { file_path: 'x', old_string: 'x\r\n', new_string: 'x\n' });
      expect(ends).toContain('Nothing was changed');
      expect(await bytesOf(subject, 'x')).toBe('x\n');
    });

    it.each([
      ['T07', [0xc4, 0xe3, 0xba, 0xc3, 0x0a, 0x6b, 0x3d, 0x31, 0x0a]],
      ['T08', [0x93, 0xfa, 0x0a, 0x6b, 0x3d, 0x31, 0x0a]],
    ])('tools:edit-encoding: leaves a file alone that is not UTF-8 [%s] [A11]', async (_number, bytes) => {
      await using subject = await options.open();
      await put(subject, 'f', bytes);
      const text = await fail(subject, 'Edit', { file_path: 'f', old_string: 'k=1', new_string: 'k=日' });
      expect(text).toContain('not valid UTF-8');
      expect(await bytesOf(subject, 'f')).toBe(Buffer.from(bytes).toString('latin1'));
    });

    it('tools:edit-ambiguous: counts overlapping places and asks for more context [T14]', async () => {
      await using subject = await options.open();
      await put(subject, 'f', 'foo\nfoo\nfoo\n');
      const text = await fail(subject, 'Edit', { file_path: 'f', old_string: 'foo\nfoo\n', new_string: 'X\n' });
      expect(text).toContain('more than once');
      expect(text).toContain('2 places, on lines 1, 2');
      expect(await bytesOf(subject, 'f')).toBe('foo\nfoo\nfoo\n');
    });

    it('tools:edit-all: replaces every occurrence and counts them', async () => {
      await using subject = await options.open();
      await put(subject, 'f', 'a\r\nb\na\r\na');
      const input = { file_path: 'f', old_string: 'a', new_string: 'a1\na2', replace_all: 'true' };
      expect(await succeed(subject, 'Edit', input)).toContain('Replaced 3 occurrences');
      expect(await bytesOf(subject, 'f')).toBe('a1\r\na2\r\nb\na1\r\na2\r\na1\r\na2');
    });

    it('tools:edit-mode: keeps the mode [T17]', async () => {
      await using subject = await options.open();
      await sh(subject, 'echo "echo one" > run.sh; chmod 755 run.sh');
      await succeed(subject, 'Edit', { file_path: 'run.sh', old_string: 'one', new_string: 'two' });
      expect((await subject.backend.stat('run.sh'))?.mode).toBe(0o755);
      expect(await sh(subject, './run.sh')).toBe('two\n');
    });

    it('tools:edit-link: edits what a link leads to, and keeps the link [T19]', async () => {
      await using subject = await options.open();
      await sh(subject, 'echo old > real.txt; ln -s real.txt link.txt');
      await succeed(subject, 'Edit', { file_path: 'link.txt', old_string: 'old', new_string: 'new' });
      expect(await sh(subject, 'readlink link.txt; cat real.txt')).toBe('real.txt\nnew\n');
    });

    it('tools:edit-not-found: says why it may not have matched', async () => {
      await using subject = await options.open();
      await put(subject, 'f', 'if (a) {\n  b();\n}\n');
      const edit = (oldText: string): Promise<string> =>
        fail(subject, 'Edit', { file_path: 'f', old_string: oldText, new_string: 'X' });
      expect(await edit('c()')).toContain('not found');
      expect(await edit('     2\t  b();')).toContain('line numbers');
      expect(await edit('\tb();\n')).toContain('Line 2');
      expect(await fail(subject, 'Edit', { file_path: 'f', old_string: '', new_string: 'X' })).toContain('old_string');
      expect(await fail(subject, 'Edit', { file_path: 'no', old_string: 'a', new_string: 'X' })).toContain(
        'nothing at',
      );
      expect(await bytesOf(subject, 'f')).toBe('if (a) {\n  b();\n}\n');
    });

    it('tools:edit-snippet: shows the lines around the change', async () => {
      await using subject = await options.open();
      await sh(subject, 'seq 1 20 > f');
      const text = await succeed(subject, 'Edit', { file_path: 'f', old_string: '10\n', new_string: 'ten\nten\n' });
      const lines = ['7\t7', '8\t8', '9\t9', '10\tten', '11\tten', '12\t11', '13\t12', '14\t13'];
      expect(text.split('\n').slice(1)).toEqual(lines.map((line) => `${' '.repeat(6 - line.indexOf('\t'))}${line}`));
    });

    it('tools:edit-changed: refuses a file that changed since this session read it', async () => {
      await using subject = await options.open();
      await put(subject, 'f', 'one\ntwo\n');
      await succeed(subject, 'Read', { file_path: 'f' });
      await succeed(subject, 'Edit', { file_path: 'f', old_string: 'one', new_string: '1' });
      await succeed(subject, 'Edit', { file_path: 'f', old_string: 'two', new_string: '2' });
      await put(subject, 'f', '1\n2\nthree\n');
      const edit = { file_path: 'f', old_string: '2', new_string: 'two' };
      expect(await fail(subject, 'Edit', edit)).toContain('changed since');
      expect(await bytesOf(subject, 'f')).toBe('1\n2\nthree\n');
      await succeed(subject, 'Read', { file_path: 'f' });
      await succeed(subject, 'Edit', edit);
      expect(await bytesOf(subject, 'f')).toBe('1\ntwo\nthree\n');
    });

    it.each([true, false])(
      'tools:edit-parallel: loses none of 20 edits at once (file read before: %s) [A09]',
      async (isRead) => {
        await using subject = await options.open();
        const numbers = Array.from({ length: 20 }, (_, index) => index);
        await put(subject, 'f', numbers.map((number) => `<${number}>\n`).join(''));
        if (isRead) await succeed(subject, 'Read', { file_path: 'f' });
        const results = await Promise.all(
          numbers.map((number) =>
            call(subject, {
              tool: 'Edit',
              input: { file_path: 'f', old_string: `<${number}>`, new_string: `done ${number}` },
            }),
          ),
        );
        expect(results.map(({ state }) => state)).toEqual(numbers.map(() => 'success'));
        expect(await bytesOf(subject, 'f')).toBe(numbers.map((number) => `done ${number}\n`).join(''));
      },
    );
  });
}

/** Write and Edit: bytes, versions, and where they may write. */
export function toolsWriteEditContract(options: ToolsContractOptions): void {
  writeContract(options);
  editContract(options);
  bordersContract(options);
}

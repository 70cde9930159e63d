import type { Backend, GrepLine, GrepOptions } from '@agent-workspace/core';
import { expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell } from './contract-backend.ts';

/** Lines of a search that reached everything, their paths relative to the workdir. */
async function grepped(backend: Backend, options: Omit<GrepOptions, 'mode'>): Promise<readonly GrepLine[]> {
  const result = await backend.grep({ ...options, mode: 'lines' });
  expect(result.isIncomplete).toBe(false);
  const lines = result.mode === 'lines' ? result.lines : [];
  return lines.map((line) => ({ ...line, path: line.path.slice(backend.workdir.length + 1) }));
}

async function matches(backend: Backend, options: Omit<GrepOptions, 'mode'>): Promise<readonly string[]> {
  const lines = await grepped(backend, options);
  return lines.map(({ path, line, text, isContext }) => `${path}|${line}|${isContext ? '-' : '+'}|${text}`);
}

/** Lines by regular expression. */
export function searchGrepContract(options: BackendContractOptions): void {
  it('search:grep-lines: finds lines with their path and number, sorted [T38]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      "mkdir d; printf 'no\\nhit one\\nno\\nhit two\\n' > d/b.txt; printf 'a hit' > a.txt; printf 'Hit\\n' > c",
    );
    expect(await matches(backend, { pattern: 'hit' })).toEqual([
      'a.txt|1|+|a hit',
      'd/b.txt|2|+|hit one',
      'd/b.txt|4|+|hit two',
    ]);
    expect(await matches(backend, { pattern: '^h\\w+ (one|t)', path: 'd' })).toHaveLength(2);
    expect(await matches(backend, { pattern: 'hit', path: 'd/b.txt' })).toHaveLength(2);
    expect(await matches(backend, { pattern: 'hit', ignoreCase: true })).toHaveLength(4);
    expect(await matches(backend, { pattern: 'absent' })).toEqual([]);
  });

  it('search:grep-late: finds what stands far down in a file [T23]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile(
      'f',
      Array.from({ length: 1_000 }, (_, line) => (line === 899 ? 'needle' : 'hay')).join('\n'),
    );
    expect(await matches(backend, { pattern: 'needle', limit: 1 })).toEqual(['f|900|+|needle']);
  });

  it('search:grep-names: takes names with colons, line feeds and dashes as they are [T36]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const names = ['a:12:b.txt', 'c-3-d', 'two\nlines', 'x: binary file matches', '-e', 'sp ace'].toSorted();
    for (const name of names) await backend.writeFile(name, 'hit\n');
    expect(await grepped(backend, { pattern: 'hit' })).toEqual(
      names.map((path) => ({ path, line: 1, text: 'hit', isContext: false, isCut: false })),
    );
    const files = await backend.grep({ pattern: 'hit', mode: 'files' });
    expect(files).toMatchObject({ paths: names.map((name) => `${backend.workdir}/${name}`) });
  });

  it('search:grep-text: takes colons, dashes and numbers in lines as text', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', '12:34:hit\n-56-\n\n7:hit\n');
    expect(await matches(backend, { pattern: 'hit', linesAfter: 1 })).toEqual([
      'f|1|+|12:34:hit',
      'f|2|-|-56-',
      'f|4|+|7:hit',
    ]);
  });

  it('search:grep-crlf: finds and anchors in lines that end with CR LF, and gives them without CR [T37]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', 'hit\r\nno\r\nlast hit');
    expect(await matches(backend, { pattern: 'hit' })).toEqual(['f|1|+|hit', 'f|3|+|last hit']);
    expect(await matches(backend, { pattern: 'hit$', linesAfter: 1 })).toEqual([
      'f|1|+|hit',
      'f|2|-|no',
      'f|3|+|last hit',
    ]);
    expect(await matches(backend, { pattern: '^no$' })).toEqual(['f|2|+|no']);
  });

  it('search:grep-context: gives lines around a match, each once', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', '1\n2\nhit 3\n4\nhit 5\n6\n7\n');
    expect(await matches(backend, { pattern: 'hit', linesBefore: 1, linesAfter: 1 })).toEqual([
      'f|2|-|2',
      'f|3|+|hit 3',
      'f|4|-|4',
      'f|5|+|hit 5',
      'f|6|-|6',
    ]);
  });

  it('search:grep-multiline: lets a match go over line ends only where asked to', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', 'begin\nmiddle\nend\n');
    expect(await matches(backend, { pattern: 'begin.*end' })).toEqual([]);
    expect(await matches(backend, { pattern: 'begin.*dle', multiline: true })).toEqual(['f|1|+|begin', 'f|2|+|middle']);
    await expect(backend.grep({ pattern: 'begin\nmiddle', mode: 'lines' })).rejects.toMatchObject({
      code: 'pattern-invalid',
    });
  });

  it('search:grep-modes: gives files and counts, sorted by path', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, "mkdir d; printf 'hit\\nhit hit\\n' > d/b; printf 'hit' > a; printf 'no' > c");
    const at = (path: string): string => `${backend.workdir}/${path}`;
    const outcome = { isTruncated: false, isIncomplete: false, problems: [] };
    const files = { mode: 'files', paths: [at('a'), at('d/b')], ...outcome };
    expect(await backend.grep({ pattern: 'hit', mode: 'files' })).toEqual(files);
    expect(await backend.grep({ pattern: 'hit', mode: 'counts' })).toEqual({
      mode: 'counts',
      counts: [
        { path: at('a'), count: 1 },
        { path: at('d/b'), count: 2 },
      ],
      ...outcome,
    });
    const one = await backend.grep({ pattern: 'hit', mode: 'counts', path: 'd/b' });
    expect(one).toMatchObject({ counts: [{ path: at('d/b'), count: 2 }] });
  });

  it('search:grep-filter: searches only files of a glob and of a type', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      "printf '*.log\\n' > .gitignore; mkdir -p src/in; for f in a.ts a.py src/b.ts src/in/c.ts src/in/d.js src/x.log 'src/[id].ts'; do printf hit > \"$f\"; done",
    );
    const files = async (more: Partial<GrepOptions>): Promise<readonly string[]> =>
      (await matches(backend, { pattern: 'hit', ...more })).map((line) => line.split('|')[0] ?? '');
    expect(await files({ glob: '*.ts' })).toEqual(['a.ts', 'src/[id].ts', 'src/b.ts', 'src/in/c.ts']);
    expect(await files({ glob: '/*.ts' })).toEqual(['a.ts']);
    expect(await files({ glob: 'src/*.ts' })).toEqual(['src/[id].ts', 'src/b.ts']);
    expect(await files({ glob: '*.ts', path: 'src/in' })).toEqual(['src/in/c.ts']);
    expect(await files({ glob: '*.{py,js}' })).toEqual(['a.py', 'src/in/d.js']);
    expect(await files({ glob: '!*.ts' })).toEqual(['a.py', 'src/in/d.js']);
    expect(await files({ glob: '[id].ts' })).toEqual(['src/[id].ts']);
    expect(await files({ glob: '*' })).toHaveLength(6);
    expect(await files({ type: 'py' })).toEqual(['a.py']);
    expect(await files({ type: 'ts', glob: 'src/**' })).toEqual(['src/[id].ts', 'src/b.ts', 'src/in/c.ts']);
    expect(await files({ glob: '*.log', includeIgnored: true })).toEqual(['src/x.log']);
  });

  it('search:grep-long-line: cuts a long line around its match, between characters, and says so [T43]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', `${'ä'.repeat(100_000)}needle${'ö'.repeat(100_000)}\nshort needle\n`);
    const lines = await grepped(backend, { pattern: 'needle' });
    expect(lines.map(({ line, isCut }) => [line, isCut])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(Buffer.byteLength(lines[0]?.text ?? '')).toBeLessThanOrEqual(2_000);
    expect(lines[0]?.text).toMatch(/^ä+needleö+$/);
    const [short] = await grepped(backend, { pattern: 'needle', maxLineBytes: 50 });
    expect(short?.text).toMatch(/^ä+needleö+$/);
    expect(Buffer.byteLength(short?.text ?? '')).toBeLessThanOrEqual(50);
  });

  it('search:grep-pattern-safe: takes a pattern that looks like an option, or a regular expression of death', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', `--files\n${'a'.repeat(5_000)}!\n`);
    expect(await matches(backend, { pattern: '--files' })).toEqual(['f|1|+|--files']);
    expect(await matches(backend, { pattern: '^(a+)+$' })).toEqual([]);
  });

  it('search:grep-invalid: says in ripgrep’s words what is wrong with a pattern or a type', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', 'x');
    const refused = (details: object): object => ({ code: 'pattern-invalid', details });
    await expect(backend.grep({ pattern: 'a(b', mode: 'lines' })).rejects.toMatchObject(
      refused({ pattern: 'a(b', reason: expect.stringContaining('unclosed group') }),
    );
    await expect(backend.grep({ pattern: 'x', type: 'klingon', mode: 'lines' })).rejects.toMatchObject(
      refused({ pattern: 'klingon', reason: 'unrecognized file type: klingon' }),
    );
    const bad = refused({ pattern: expect.any(String) });
    await expect(backend.grep({ pattern: 'x', glob: '[a', mode: 'files' })).rejects.toMatchObject(bad);
    await expect(backend.grep({ pattern: 'a\0b', mode: 'files' })).rejects.toMatchObject(bad);
  });

  it('search:grep-encodings: gives lines that are not UTF-8 with replacement characters', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('latin', Buffer.from('gr\xfc\xdfe hit\n', 'latin1'));
    expect(await matches(backend, { pattern: 'hit' })).toEqual(['latin|1|+|gr\ufffd\ufffde hit']);
  });
}

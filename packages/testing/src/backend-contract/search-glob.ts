import type { Backend, GlobOptions } from '@agent-workspace/core';
import { expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell } from './contract-backend.ts';
import { expectConfined, makeOutsideDirectory } from './outside-directory.ts';

/** Paths relative to the workdir, of a search that reached everything. */
async function globbed(backend: Backend, options: GlobOptions): Promise<readonly string[]> {
  const { paths, isIncomplete } = await backend.glob(options);
  expect(isIncomplete).toBe(false);
  return paths.map((path) => path.slice(backend.workdir.length + 1));
}

/** Files by pattern. */
export function searchGlobContract(options: BackendContractOptions): void {
  it('search:glob-depth: `*` stays in one directory and `**` goes to any depth', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkdir -p a/b c; touch x.ts a/x.ts a/b/x.ts a/b/y.js c/.hidden.ts');
    const glob = (pattern: string, path?: string): Promise<readonly string[]> => globbed(backend, { pattern, path });
    expect(await glob('*.ts')).toEqual(['x.ts']);
    expect(await glob('**/*.ts')).toEqual(['a/b/x.ts', 'a/x.ts', 'c/.hidden.ts', 'x.ts']);
    expect(await glob('*/*.ts')).toEqual(['a/x.ts', 'c/.hidden.ts']);
    expect(await glob('a/**')).toEqual(['a/b/x.ts', 'a/b/y.js', 'a/x.ts']);
    expect(await glob('a/**/x.ts')).toEqual(['a/b/x.ts', 'a/x.ts']);
    expect(await glob('*.ts', 'a')).toEqual(['a/x.ts']);
    expect(await glob('./a/x.ts')).toEqual(['a/x.ts']);
    expect(await glob('none/*.ts')).toEqual([]);
  });

  it('search:glob-syntax: knows ?, classes, braces and escapes', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, "touch a1 a2 b1 ü1 abc a-b 'a*b' 'x{y}' && mkdir d && touch d/a1.ts d/a1.js");
    const glob = (pattern: string): Promise<readonly string[]> => globbed(backend, { pattern });
    expect(await glob('?1')).toEqual(['a1', 'b1', 'ü1']);
    expect(await glob('[ab][1-9]')).toEqual(['a1', 'a2', 'b1']);
    expect(await glob('[!a]1')).toEqual(['b1', 'ü1']);
    expect(await glob('a[*-]b')).toEqual(['a*b', 'a-b']);
    expect(await glob('a\\*b')).toEqual(['a*b']);
    expect(await glob('{a1,d/*.{ts,js},none}')).toEqual(['a1', 'd/a1.js', 'd/a1.ts']);
    expect(await glob('x\\{y\\}')).toEqual(['x{y}']);
  });

  it('search:glob-literal: takes special characters in path literally, and a name spelled as the pattern is [T29]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      "mkdir -p 'app/(app)' 'app/[id]' -- '-x' && touch 'app/(app)/layout.tsx' 'app/[id]/page.tsx' -- '-x/-y.tsx'",
    );
    const glob = (pattern: string, path?: string): Promise<readonly string[]> => globbed(backend, { pattern, path });
    expect(await glob('**/*.tsx')).toEqual(['-x/-y.tsx', 'app/(app)/layout.tsx', 'app/[id]/page.tsx']);
    expect(await glob('*.tsx', 'app/(app)')).toEqual(['app/(app)/layout.tsx']);
    expect(await glob('*.tsx', 'app/[id]')).toEqual(['app/[id]/page.tsx']);
    expect(await glob('app/[id]/*.tsx')).toEqual(['app/[id]/page.tsx']);
    expect(await glob('-y*', '-x')).toEqual(['-x/-y.tsx']);
  });

  it('search:glob-names: finds names with colons, spaces, line feeds and letters of any script', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const names = ['a:1:b.txt', 'sp ace.txt', 'two\nlines.txt', '日本.txt', "quo'te.txt", '$HOME.txt'];
    for (const name of names) await backend.writeFile(`d/${name}`, '');
    expect(await globbed(backend, { pattern: '**/*.txt' })).toEqual(names.map((name) => `d/${name}`).toSorted());
  });

  it('search:glob-links: ends where links form a loop, finds each file once and nothing outside [T32]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkdir d; touch d/a b; ln -s .. d/loop; ln -s /etc d/out; ln -s ../b d/to-b');
    expect(await globbed(backend, { pattern: '**/*' })).toEqual(['b', 'd/a']);
  });

  it('search:glob-ignored: leaves out what ignore files name, also without a repository, unless asked for', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      "mkdir -p src/gen node_modules/m build .git .workspace; printf 'node_modules/\\n*.log\\n/src/gen\\n' > .gitignore; printf 'build/\\n' > .ignore; touch a.ts src/b.ts src/x.log src/gen/c.ts node_modules/m/d.ts build/e.ts .git/config .workspace/state.json",
    );
    expect(await globbed(backend, { pattern: '**/*' })).toEqual(['.gitignore', '.ignore', 'a.ts', 'src/b.ts']);
    expect(await globbed(backend, { pattern: '*', path: 'src' })).toEqual(['src/b.ts']);
    expect(await globbed(backend, { pattern: '**/*.{ts,log}', includeIgnored: true })).toEqual([
      'a.ts',
      'build/e.ts',
      'node_modules/m/d.ts',
      'src/b.ts',
      'src/gen/c.ts',
      'src/x.log',
    ]);
    expect(await globbed(backend, { pattern: '**/*', path: 'node_modules/m' })).toEqual(['node_modules/m/d.ts']);
    expect(await globbed(backend, { pattern: 'node_modules/m/*' })).toEqual(['node_modules/m/d.ts']);
  });

  it('search:glob-invalid: says what is wrong with a pattern [T30]', async () => {
    await using contract = await openContractBackend(options);
    for (const pattern of ['', '/etc/**/*.conf', '../*', 'a/../b', '[a', '{a,b', 'dir/', '{a,b}'.repeat(40)]) {
      const invalid = { code: 'pattern-invalid', details: { pattern: expect.any(String) } };
      await expect(contract.backend.glob({ pattern })).rejects.toMatchObject(invalid);
    }
  });

  it('search:glob-missing: tells a path that is not there, or is no directory, from an empty one [T41]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkdir empty; touch f');
    await expect(backend.glob({ pattern: '*', path: 'nope' })).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(backend.glob({ pattern: '*', path: 'f' })).rejects.toMatchObject({ code: 'not-a-directory' });
    const nothing = { paths: [], isTruncated: false, isIncomplete: false, problems: [] };
    expect(await backend.glob({ pattern: '*', path: 'empty' })).toEqual(nothing);
  });

  it('search:link-out: searches nothing that a link leads to outside of the roots [X03]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await using outside = await makeOutsideDirectory(backend, options);
    await runShell(backend, `ln -s '${outside.path}' d`);
    await expectConfined(backend, backend.glob({ pattern: '*', path: 'd' }));
    await expectConfined(backend, backend.glob({ pattern: 'd/*' }));
    await expectConfined(backend, backend.grep({ pattern: 'secret', mode: 'lines', path: 'd/secret.txt' }));
    expect(await globbed(backend, { pattern: '**/*' })).toEqual([]);
  });
}

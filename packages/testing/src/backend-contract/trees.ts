import type { Backend, TreeEntry } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell, textAt, textOf } from './contract-backend.ts';
import { expectConfined, makeOutsideDirectory } from './outside-directory.ts';

const file = (path: string, text: string, mode?: number): TreeEntry => ({
  kind: 'file',
  path,
  bytes: Buffer.from(text),
  mode,
});
const link = (path: string, target: string): TreeEntry => ({ kind: 'link', path, target });

async function namesIn(backend: Backend, path: string): Promise<readonly string[]> {
  return textOf((await runShell(backend, `cd '${path}' && find . | sort | sed 1d`)).stdout)
    .split('\n')
    .filter((line) => line !== '');
}

function writing(options: BackendContractOptions): void {
  it('trees:write: makes a directory of files, directories and links, with their modes [D27] [X17]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeTree('p/t', [
      { kind: 'directory', path: 'empty' },
      file('lib/x', 'echo x', 0o755),
      file('a.txt', 'text'),
      link('bin/x', '../lib/x'),
      link('bin/up', '..'),
    ]);
    expect(await namesIn(backend, 'p/t')).toEqual([
      './a.txt',
      './bin',
      './bin/up',
      './bin/x',
      './empty',
      './lib',
      './lib/x',
    ]);
    expect(await textAt(backend, 'p/t/bin/x')).toBe('echo x');
    expect(textOf((await runShell(backend, 'readlink p/t/bin/x; ls -A p')).stdout)).toBe('../lib/x\nt\n');
    expect(((await backend.stat('p/t/lib/x'))?.mode ?? 0) & 0o100).toBe(0o100);
    expect(((await backend.stat('p/t/a.txt'))?.mode ?? 0) & 0o111).toBe(0);
  });

  it('trees:write-modes: takes no set-uid bit and no right for others to write', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeTree('t', [file('a', '', 0o4777), { kind: 'directory', path: 'd', mode: 0o2777 }]);
    const listed = await runShell(backend, 'ls -ld t/a t/d | cut -c1-10');
    expect(textOf(listed.stdout)).toMatch(/^-rwx[r-]-[x-][r-]-[x-]\ndrwx[r-]-[x-][r-]-[x-]\n$/);
  });

  it('trees:write-exists: replaces a directory only where asked to, and then wholly', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeTree('t', [file('old', 'old')]);
    await expect(backend.writeTree('t', [file('new', 'new')])).rejects.toMatchObject({ code: 'file-exists' });
    expect(await namesIn(backend, '.')).toEqual(['./t', './t/old']);
    await backend.writeTree('t', [file('new', 'new')], { replace: true, sync: true });
    expect(await namesIn(backend, '.')).toEqual(['./t', './t/new']);
    await backend.writeTree('u', [file('first', '')], { replace: true });
    expect(await namesIn(backend, 'u')).toEqual(['./first']);
  });

  it.each([
    ['an absolute path', file('/abs', ''), 'path-invalid'],
    ['a path that goes up', file('a/../../up', ''), 'path-invalid'],
    ['an empty part', file('a//b', ''), 'path-invalid'],
    ['an empty path', file('', ''), 'path-invalid'],
    ['a NUL byte', file('a\0', ''), 'path-invalid'],
    ['an absolute link', link('l', '/etc/passwd'), 'path-outside-root'],
    ['a link that goes up too far', link('d/l', '../../x'), 'path-outside-root'],
    ['a link that goes down and up', link('d/l', 'a/../../../x'), 'path-outside-root'],
    ['a file below a link', [link('l', 'd'), file('l/x', '')], 'path-invalid'],
    ['a file below a file', [file('f', ''), file('f/x', '')], 'path-invalid'],
    ['the same path twice', [file('f', '1'), file('f', '2')], 'file-exists'],
  ] as const)('trees:write-hostile: refuses %s, and leaves nothing [X16]', async (_, bad, code) => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const entries = [file('good', ''), { kind: 'directory', path: 'd' } as const, ...[bad].flat()];
    await expect(backend.writeTree('t', entries)).rejects.toMatchObject({ code });
    expect(await namesIn(backend, '.')).toEqual([]);
  });

  it('trees:write-failure: a source that fails leaves the old directory and nothing beside it', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeTree('t', [file('old', 'old')]);
    async function* failing(): AsyncIterable<TreeEntry> {
      yield file('new', 'new');
      throw new Error('the source failed');
    }
    await expect(backend.writeTree('t', failing(), { replace: true })).rejects.toThrow('the source failed');
    await expect(backend.writeTree('u', failing())).rejects.toThrow('the source failed');
    expect(await namesIn(backend, '.')).toEqual(['./t', './t/old']);
  });

  it('trees:write-lock: moves nothing to its place once the lock is lost', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const heldLock = { path: 'lock', nonce: 'mine' };
    await backend.writeFile('lock', 'mine');
    async function* losing(): AsyncIterable<TreeEntry> {
      yield file('a', 'a');
      await backend.writeFile('lock', 'theirs');
    }
    await expect(backend.writeTree('t', losing(), { heldLock })).rejects.toMatchObject({ code: 'lock-lost' });
    expect(await namesIn(backend, '.')).toEqual(['./lock']);
  });
}

function reading(options: BackendContractOptions): void {
  it('trees:read: gives files with content, mode and stat, links as links, and no FIFO, sorted by path', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      'mkdir -p t/d; printf x > t/d/x.sh; chmod 755 t/d/x.sh; printf a > t/d.txt; mkfifo t/p; ln -s .. t/up',
    );
    const entries = await backend.readTree('t');
    expect(entries.map(({ kind, path }) => [kind, path])).toEqual([
      ['directory', 'd'],
      ['file', 'd.txt'],
      ['file', 'd/x.sh'],
      ['link', 'up'],
    ]);
    expect(entries[2]).toMatchObject({ mode: 0o755, stat: { sizeBytes: 1, kind: 'file' } });
    expect(entries[2]?.kind === 'file' && Buffer.from(entries[2].bytes).toString()).toBe('x');
    expect(entries[3]).toEqual({ kind: 'link', path: 'up', target: '..' });
    const stat = entries[2]?.kind === 'file' ? entries[2].stat : undefined;
    expect(stat).toEqual(await backend.stat('t/d/x.sh'));
  });

  it('trees:read-names: gives only files of the names asked for, down to the depth asked for [T44]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      'for n in a b c/d node_modules/e; do mkdir -p s/$n; printf $n > s/$n/SKILL.md; printf x > s/$n/other; done; ln -s a/SKILL.md s/SKILL.md',
    );
    const paths = async (more: { maxDepth?: number; ignoreNames?: string[] }): Promise<readonly string[]> =>
      (await backend.readTree('s', { names: ['SKILL.md'], ...more })).map(({ path }) => path);
    expect(await paths({})).toEqual([
      'SKILL.md',
      'a/SKILL.md',
      'b/SKILL.md',
      'c/d/SKILL.md',
      'node_modules/e/SKILL.md',
    ]);
    expect(await paths({ maxDepth: 2, ignoreNames: ['b'] })).toEqual(['SKILL.md', 'a/SKILL.md']);
  });

  it('trees:read-caps: a larger file comes without bytes, and past a cap the call fails', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeTree('t', [file('big', 'x'.repeat(5_000)), file('small', 'x')]);
    const entries = await backend.readTree('t', { maxFileBytes: 100 });
    expect(
      entries.map((entry) => (entry.kind === 'file' ? [entry.bytes.byteLength, entry.stat?.sizeBytes] : [])),
    ).toEqual([
      [0, 5_000],
      [1, 1],
    ]);
    const exceeded = { code: 'limit-exceeded' };
    await expect(backend.readTree('t', { maxTotalBytes: 5_000 })).rejects.toMatchObject(exceeded);
    await expect(backend.readTree('t', { maxEntries: 1 })).rejects.toMatchObject(exceeded);
    expect(await backend.readTree('t', { maxEntries: 2, maxTotalBytes: 5_001 })).toHaveLength(2);
  });

  it('trees:read-missing: tells nothing there and no directory from an empty one [T41]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('f', '');
    await backend.makeDirectory('empty');
    const reads = [(path: string) => backend.readTree(path), (path: string) => backend.hashTree(path)];
    for (const read of reads) {
      await expect(read('none')).rejects.toMatchObject({ code: 'file-not-found' });
      await expect(read('f')).rejects.toMatchObject({ code: 'not-a-directory' });
    }
    expect(await backend.readTree('empty')).toEqual([]);
  });

  it('trees:link-out: a linked directory outside of the roots is not read, written or hashed [X10]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await using outside = await makeOutsideDirectory(backend, options);
    await runShell(backend, `ln -s '${outside.path}' d`);
    await expectConfined(backend, backend.readTree('d'));
    await expectConfined(backend, backend.hashTree('d'));
    await expectConfined(backend, backend.copyTree('d', 'copy'));
    await expectConfined(backend, backend.writeTree('d/new', [file('x', '')]));
    expect(await outside.names()).toEqual(backend.roots === null ? ['new', 'secret.txt'] : ['secret.txt']);
  });
}

function copying(options: BackendContractOptions): void {
  it('trees:copy: copies files, modes and links that stay inside, and not what is to be left out', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      'mkdir -p t/d t/node_modules; printf x > t/d/x; chmod 755 t/d/x; ln -s d/x t/l; touch t/node_modules/y; mkfifo t/p',
    );
    await backend.copyTree('t', 'new/u', { ignoreNames: ['node_modules'] });
    expect(await namesIn(backend, 'new/u')).toEqual(['./d', './d/x', './l']);
    expect((await backend.stat('new/u/d/x'))?.mode).toBe(0o755);
    expect((await backend.stat('new/u/l', { noFollow: true }))?.kind).toBe('link');
    await expect(backend.copyTree('t', 'new/u')).rejects.toMatchObject({ code: 'file-exists' });
    await expect(backend.copyTree('none', 'v')).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(backend.copyTree('t', 't/inside')).rejects.toMatchObject({ code: 'path-invalid' });
    await backend.copyTree('t', 'new/u', { replace: true });
    expect(await namesIn(backend, 'new/u')).toContain('./node_modules/y');
  });

  it('trees:copy-failure: a copy that fails leaves nothing, so that the next one works [S31]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkdir t; printf a > t/a; ln -s /etc/passwd t/z');
    await expect(backend.copyTree('t', 'u')).rejects.toMatchObject({ code: 'path-outside-root' });
    expect(await namesIn(backend, '.')).toEqual(['./t', './t/a', './t/z']);
    await backend.remove('t/z');
    await backend.copyTree('t', 'u');
    expect(await namesIn(backend, 'u')).toEqual(['./a']);
  });

  it('trees:hash: is the same for the same files, and changes with a name, a content or the executable bit', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeTree('t', [file('b/x', '1'), file('a', '2')]);
    await backend.writeTree('u', [
      file('a', '2'),
      { kind: 'directory', path: 'b', mode: 0o700 },
      file('b/x', '1', 0o600),
    ]);
    const hash = await backend.hashTree('t');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await backend.hashTree('u')).toBe(hash);
    const changes = ['printf 3 > u/a', 'mv u/a u/c', 'chmod 755 u/c', 'ln -s c u/l', 'ln -sfn a u/l'];
    const hashes = [hash];
    for (const change of changes) {
      await runShell(backend, change);
      hashes.push(await backend.hashTree('u'));
    }
    expect(new Set(hashes).size).toBe(6);
  });

  it('trees:hash-noise: does not count the names to be left out [S22]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeTree('t', [file('d/a', '1')]);
    await backend.writeTree('u', [file('d/a', '1'), file('d/.DS_Store', 'noise'), file('node_modules/x', 'noise')]);
    const ignoreNames = ['.DS_Store', 'node_modules'];
    expect(await backend.hashTree('u', { ignoreNames })).toBe(await backend.hashTree('t', { ignoreNames }));
    expect(await backend.hashTree('u')).not.toBe(await backend.hashTree('t'));
  });

  it('trees:hash-link: counts a link by its target and reads nothing behind it [S23]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'printf 1 > outside; mkdir t; ln -s ../outside t/x');
    const before = await backend.hashTree('t');
    await runShell(backend, 'printf 2 > outside');
    expect(await backend.hashTree('t')).toBe(before);
    await runShell(backend, 'ln -sfn ../elsewhere t/x');
    expect(await backend.hashTree('t')).not.toBe(before);
  });
}

/** `Backend.writeTree`, `readTree`, `copyTree` and `hashTree`. */
export function treesContract(options: BackendContractOptions): void {
  describe('trees', () => {
    writing(options);
    reading(options);
    copying(options);
  });
}

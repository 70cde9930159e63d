import { expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell, textAt, textOf } from './contract-backend.ts';

/** What is in directories. */
export function filesEntriesContract(options: BackendContractOptions): void {
  it('files:stat: describes what is there, and gives nothing for nothing', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('d/a.txt', '12345');
    await runShell(backend, 'ln -s d/a.txt l; chmod 640 d/a.txt');
    expect(await backend.stat('l')).toMatchObject({ kind: 'file', sizeBytes: 5, mode: 0o640 });
    expect((await backend.stat('d'))?.kind).toBe('directory');
    expect(await backend.stat('none')).toBeUndefined();
    expect(await backend.stat('d/a.txt/x')).toBeUndefined();
    const seconds = Number(textOf((await runShell(backend, 'date +%s')).stdout));
    expect(Math.abs(((await backend.stat('l'))?.modifiedMs ?? 0) / 1_000 - seconds)).toBeLessThan(60);
  });

  it('files:list: lists a directory sorted by name, with what each entry itself is [T41]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, "mkdir -p d/sub; touch d/b d/A 'd/a b' d/.hidden; ln -s sub d/link; mkfifo d/pipe");
    expect(await backend.readDirectory('d')).toEqual([
      { name: '.hidden', kind: 'file' },
      { name: 'A', kind: 'file' },
      { name: 'a b', kind: 'file' },
      { name: 'b', kind: 'file' },
      { name: 'link', kind: 'link' },
      { name: 'pipe', kind: 'other' },
      { name: 'sub', kind: 'directory' },
    ]);
    expect(await backend.readDirectory('d/sub')).toEqual([]);
    await expect(backend.readDirectory('none')).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(backend.readDirectory('d/b')).rejects.toMatchObject({ code: 'not-a-directory' });
  });

  it('files:make-directory: makes parents and takes an existing directory, unless not recursive', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.makeDirectory('a/b/c');
    await backend.makeDirectory('a/b/c');
    expect((await backend.stat('a/b/c'))?.kind).toBe('directory');
    const alone = { recursive: false };
    await expect(backend.makeDirectory('a/b', alone)).rejects.toMatchObject({ code: 'file-exists' });
    await expect(backend.makeDirectory('x/y', alone)).rejects.toMatchObject({ code: 'file-not-found' });
    await backend.makeDirectory('private', { mode: 0o700 });
    expect((await backend.stat('private'))?.mode).toBe(0o700);
    await backend.writeFile('f', '');
    await expect(backend.makeDirectory('f')).rejects.toMatchObject({ code: 'file-exists' });
  });

  it('files:remove: removes a link and not what it leads to, and a tree only where asked to', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkdir -p keep t/u/v; touch keep/a t/u/f; ln -s ../../keep t/u/l; ln -s keep l');
    await backend.remove('l');
    await expect(backend.remove('t')).rejects.toMatchObject({ code: 'io-failed' });
    await backend.remove('t', { recursive: true });
    await backend.remove('t', { recursive: true });
    await expect(backend.remove('t', { mustExist: true })).rejects.toMatchObject({ code: 'file-not-found' });
    expect(textOf((await runShell(backend, 'find . | sort')).stdout)).toBe('.\n./keep\n./keep/a\n');
  });

  it('files:rename: replaces a file and never a directory that is not empty', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('a', 'a');
    await backend.writeFile('b', 'b');
    await backend.rename('a', 'b');
    expect(await textAt(backend, 'b')).toBe('a');
    await backend.writeFile('d/x', 'x');
    await backend.writeFile('e/y', 'y');
    const exists = { code: 'file-exists' };
    await expect(backend.rename('d', 'e')).rejects.toMatchObject(exists);
    await expect(backend.rename('b', 'e')).rejects.toMatchObject(exists);
    await expect(backend.rename('none', 'z')).rejects.toMatchObject({ code: 'file-not-found' });
    await backend.rename('d', 'moved');
    expect(await textAt(backend, 'moved/x')).toBe('x');
  });

  it('files:abort: does nothing for a caller that has given up', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('a', 'a');
    const signal = AbortSignal.abort();
    const aborted = { code: 'operation-aborted' };
    await expect(backend.readFile('a', { signal })).rejects.toMatchObject(aborted);
    await expect(backend.writeFile('b', 'b', { signal })).rejects.toMatchObject(aborted);
    await expect(backend.appendRecord('c', ['c'], { signal })).rejects.toMatchObject(aborted);
    await expect(backend.remove('a', { signal })).rejects.toMatchObject(aborted);
    await expect(backend.readTree('.', { signal })).rejects.toMatchObject(aborted);
    await expect(backend.glob({ pattern: '*', signal })).rejects.toMatchObject(aborted);
    const during = new AbortController();
    async function* content(): AsyncIterable<Uint8Array> {
      yield Buffer.from('one');
      during.abort();
      yield Buffer.from('two');
    }
    await expect(backend.writeStream('b', content(), { signal: during.signal })).rejects.toMatchObject(aborted);
    // What it had begun goes where it was, which may be a moment later.
    await expect.poll(async () => textOf((await runShell(backend, 'ls -A')).stdout), { timeout: 20_000 }).toBe('a\n');
  });

  it('files:unfinished-hidden: what a killed writer left behind is in no list', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkdir -p t/.aw-tmp-dir; touch t/a t/.aw-tmp-dir/f; printf hit > t/.aw-tmp-file');
    expect((await backend.readDirectory('t')).map(({ name }) => name)).toEqual(['a']);
    expect((await backend.readTree('t')).map(({ path }) => path)).toEqual(['a']);
    expect((await backend.glob({ pattern: '**/*', path: 't' })).paths).toEqual([`${backend.workdir}/t/a`]);
    const found = await backend.grep({ pattern: 'hit', mode: 'files', path: 't', includeIgnored: true });
    expect(found).toMatchObject({ paths: [] });
    await backend.copyTree('t', 'u');
    expect(textOf((await runShell(backend, 'ls -A u')).stdout)).toBe('a\n');
  });
}

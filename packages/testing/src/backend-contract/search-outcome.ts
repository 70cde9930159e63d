import { expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell } from './contract-backend.ts';

/** Limits, ends and what could not be reached: a search says what it did not see. */
export function searchOutcomeContract(options: BackendContractOptions): void {
  it('search:limit: cuts at the limit, goes on at the offset, and says whether there is more', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, "for i in 1 2 3 4 5; do printf 'hit\\nhit\\n' > f$i; done");
    const glob = async (limit: number, offset?: number): Promise<unknown> => {
      const { paths, isTruncated } = await backend.glob({ pattern: '*', limit, offset });
      return [paths.map((path) => path.at(-1)).join(''), isTruncated];
    };
    expect(await glob(2)).toEqual(['12', true]);
    expect(await glob(2, 3)).toEqual(['45', false]);
    expect(await glob(5)).toEqual(['12345', false]);
    expect(await glob(2, 9)).toEqual(['', false]);
    const lines = await backend.grep({ pattern: 'hit', mode: 'lines', limit: 3, offset: 1 });
    const seen = lines.mode === 'lines' ? lines.lines.map(({ path, line }) => `${path.at(-1)}:${line}`) : [];
    expect([seen, lines.isTruncated]).toEqual([['1:2', '2:1', '2:2'], true]);
    expect(await backend.grep({ pattern: 'hit', mode: 'files', limit: 4 })).toMatchObject({ isTruncated: true });
    expect(await backend.grep({ pattern: 'hit', mode: 'counts', limit: 5 })).toMatchObject({ isTruncated: false });
    expect(await backend.grep({ pattern: 'hit', mode: 'lines', limit: 10 })).toMatchObject({ isTruncated: false });
  });

  it('search:huge: takes the first of very many files, and a part of very many lines [T31]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(
      backend,
      'mkdir t; cd t; for d in 1 2 3 4 5 6 7 8 9 10; do mkdir $d; (cd $d; seq 1 1000 | xargs touch); done; seq 1 300000 > lines',
    );
    const { paths, isTruncated } = await backend.glob({ pattern: '**/*', limit: 100 });
    expect([paths.length, isTruncated]).toEqual([100, true]);
    const all = await backend.glob({ pattern: '**/*' });
    expect([all.paths.length, all.isTruncated]).toEqual([10_001, false]);
    expect(paths).toEqual(all.paths.slice(0, 100));
    expect(all.paths).toEqual(all.paths.toSorted());
    const found = await backend.grep({ pattern: '7', mode: 'lines', limit: 3 });
    const numbers = found.mode === 'lines' ? found.lines.map(({ line }) => line) : [];
    expect([numbers, found.isTruncated]).toEqual([[7, 17, 27], true]);
  });

  it('search:special: passes over a FIFO, and does not hang where one is named [T25]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, "printf 'hit\\n' > a.txt; mkfifo p");
    const found = await backend.grep({ pattern: 'hit', mode: 'files', timeoutMs: 5_000 });
    expect(found).toMatchObject({ paths: [`${backend.workdir}/a.txt`], isIncomplete: false });
    expect((await backend.glob({ pattern: '*' })).paths).toEqual([`${backend.workdir}/a.txt`]);
    const named = backend.grep({ pattern: 'hit', mode: 'files', path: 'p' });
    await expect(named).rejects.toMatchObject({ code: 'not-a-file', details: { kind: 'other' } });
  });

  it('search:missing: a path that is not there is an error and not "no matches" [T41]', async () => {
    await using contract = await openContractBackend(options);
    const missing = contract.backend.grep({ pattern: 'x', mode: 'lines', path: 'nope' });
    await expect(missing).rejects.toMatchObject({ code: 'file-not-found' });
  });

  it('search:time-limit: gives what was found, marked as incomplete, when its time is over [T33]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    // A list of what to ignore that nobody ever writes: the search waits for it.
    await runShell(backend, 'mkdir found stuck; touch found/a stuck/b; mkfifo stuck/.gitignore');
    const found = await backend.glob({ pattern: '**/*', timeoutMs: 1_000 });
    expect(found.paths.filter((path) => !path.startsWith(`${backend.workdir}/found/`))).toEqual([]);
    expect(found).toMatchObject({ isIncomplete: true, problems: [expect.stringContaining('1000 ms')] });
  });

  it('search:binary: says that a binary file named as the path has matches that it does not show', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('b.bin', Buffer.from('hit\n\0\nhit\n'));
    const walked = await backend.grep({ pattern: 'hit', mode: 'lines' });
    expect(walked).toMatchObject({ lines: [], isIncomplete: false });
    const named = await backend.grep({ pattern: 'hit', mode: 'lines', path: 'b.bin' });
    expect(named).toMatchObject({
      lines: [],
      isIncomplete: true,
      problems: [expect.stringContaining('b.bin: binary')],
    });
  });

  it('search:vanishing: a tree that changes under the search does not make it fail', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkdir t; cd t; seq 1 3000 | xargs touch; echo hit > zz');
    const removal = runShell(backend, 'cd t; seq 1 3000 | xargs rm -f');
    while ((await backend.readDirectory('t')).length > 1) {
      const found = await backend.grep({ pattern: 'hit', mode: 'files' });
      expect(found).toMatchObject({ paths: [`${backend.workdir}/t/zz`], isIncomplete: false });
    }
    await removal;
  });
}

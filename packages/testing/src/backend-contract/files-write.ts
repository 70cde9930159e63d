import { expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell, textAt, textOf } from './contract-backend.ts';

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

/** Writing files. */
export function filesWriteContract(options: BackendContractOptions): void {
  it('files:write-parents: makes missing parents unless told not to [D11]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const { atomic, isNew } = await backend.writeFile('x/y/z.txt', 'z');
    expect({ atomic, isNew }).toEqual({ atomic: true, isNew: true });
    expect(await textAt(backend, 'x/y/z.txt')).toBe('z');
    await expect(backend.writeFile('p/q.txt', 'q', { makeParents: false })).rejects.toMatchObject({
      code: 'file-not-found',
    });
    expect(await backend.stat('p')).toBeUndefined();
    await expect(backend.writeFile('x/y/z.txt/below', '')).rejects.toMatchObject({ code: 'not-a-directory' });
  });

  it('files:write-mode: keeps the mode of the file that is replaced [T17]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, "printf 'echo 1' > run.sh; chmod 755 run.sh; printf k > key; chmod 600 key");
    const { isNew, stat } = await backend.writeFile('run.sh', 'echo 2');
    expect({ isNew, mode: stat.mode }).toEqual({ isNew: false, mode: 0o755 });
    await backend.writeFile('key', 'k2');
    const listed = await runShell(backend, 'ls -l run.sh key | cut -c1-10');
    expect(textOf(listed.stdout)).toBe('-rw-------\n-rwxr-xr-x\n');
    expect((await backend.writeFile('key', 'k3', { mode: 0o640 })).stat.mode).toBe(0o640);
  });

  it('files:write-new-mode: a new file has 0666 less the umask, or exactly the mode that was asked for', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const umask = Number.parseInt(textOf((await runShell(backend, 'umask')).stdout), 8);
    expect((await backend.writeFile('a', '')).stat.mode).toBe(0o666 & ~umask);
    expect((await backend.writeFile('b', '', { mode: 0o777 })).stat.mode).toBe(0o777);
    expect((await backend.writeFile('c', '', { mode: 0o600, isExclusive: true })).stat.mode).toBe(0o600);
  });

  it('files:write-through-link: writes what the link leads to, and the link stays one [T19]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('real.txt', 'old');
    await runShell(backend, 'mkdir d; ln -s ../real.txt d/link.txt; ln -s new/target.txt dangling.txt');
    await backend.writeFile('d/link.txt', 'new');
    expect(await textAt(backend, 'real.txt')).toBe('new');
    expect((await backend.stat('d/link.txt', { noFollow: true }))?.kind).toBe('link');
    await backend.writeFile('dangling.txt', 'made');
    expect(await textAt(backend, 'new/target.txt')).toBe('made');
    expect((await backend.stat('dangling.txt', { noFollow: true }))?.kind).toBe('link');
    await expect(backend.writeFile('d/link.txt', 'x', { noFollow: true })).rejects.toMatchObject({
      code: 'not-a-file',
    });
    expect(await textAt(backend, 'real.txt')).toBe('new');
  });

  it('files:write-hard-link: writes in place where another name leads to the same file, and says so', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('a.txt', 'a longer old text');
    await runShell(backend, 'ln a.txt b.txt');
    expect((await backend.writeFile('a.txt', 'new')).atomic).toBe(false);
    expect(await textAt(backend, 'b.txt')).toBe('new');
    expect((await backend.writeStream('b.txt', chunks('one ', 'two'))).atomic).toBe(false);
    expect(await textAt(backend, 'a.txt')).toBe('one two');
  });

  it('files:write-exclusive: one of many writers makes the file, and a link counts as there', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const writers = Array.from({ length: 20 }, (_, index) =>
      backend.writeFile('one', `writer ${index}`, { isExclusive: true }),
    );
    const results = await Promise.allSettled(writers);
    const won = results.findIndex(({ status }) => status === 'fulfilled');
    expect(await textAt(backend, 'one')).toBe(`writer ${won}`);
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost).toHaveLength(19);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: 'file-exists' });
    await runShell(backend, 'ln -s nowhere dangling');
    const exists = { code: 'file-exists' };
    await expect(backend.writeFile('dangling', '', { isExclusive: true })).rejects.toMatchObject(exists);
    expect(await backend.stat('nowhere')).toBeUndefined();
  });

  it('files:write-if-matches: fails where the file changed, went or came since its version was seen', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const first = await backend.writeFile('a.txt', 'one');
    const { stat } = await backend.readFile('a.txt');
    expect(stat.version).toBe(first.stat.version);
    const second = await backend.writeFile('a.txt', 'two', { ifMatches: stat.version });
    const changed = { code: 'file-changed' };
    await expect(backend.writeFile('a.txt', 'x', { ifMatches: stat.version })).rejects.toMatchObject(changed);
    await runShell(backend, "printf 'TWO' > a.txt");
    const { version } = second.stat;
    await expect(backend.writeFile('a.txt', 'x', { ifMatches: version })).rejects.toMatchObject(changed);
    expect(await textAt(backend, 'a.txt')).toBe('TWO');
    await backend.remove('a.txt');
    await expect(backend.writeFile('a.txt', 'x', { ifMatches: version })).rejects.toMatchObject(changed);
  });

  it('files:write-whole: a reader sees the old content or the new one, never a part', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const texts = ['a', 'b'].map((letter) => letter.repeat(200_000));
    await backend.writeFile('f', texts[0] ?? '');
    let isDone = false;
    const writer = (async () => {
      for (let round = 0; round < 30; round += 1) await backend.writeFile('f', texts[round % 2] ?? '');
      isDone = true;
    })();
    while (!isDone) expect(texts).toContain(await textAt(backend, 'f'));
    await writer;
  });

  it('files:write-failure: a source that fails leaves the old content and nothing beside it', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('d/a.txt', 'old');
    async function* failing(): AsyncIterable<Uint8Array> {
      yield Buffer.from('half of it');
      throw new Error('the source failed');
    }
    await expect(backend.writeStream('d/a.txt', failing())).rejects.toThrow('the source failed');
    await expect(backend.writeStream('d/b.txt', failing())).rejects.toThrow('the source failed');
    expect(await textAt(backend, 'd/a.txt')).toBe('old');
    expect(textOf((await runShell(backend, 'ls -A d')).stdout)).toBe('a.txt\n');
  });

  it('files:write-sync: brings content to the device where asked to', async () => {
    await using contract = await openContractBackend(options);
    await contract.backend.writeFile('d/a.txt', 'safe', { sync: true });
    expect(await textAt(contract.backend, 'd/a.txt')).toBe('safe');
  });

  it('files:held-lock: changes nothing once the lock has another nonce in it or is gone', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const heldLock = { path: 'lock', nonce: 'mine-1' };
    await backend.writeFile('lock', '{"nonce":"mine-1"}');
    await backend.writeFile('a', '1', { heldLock });
    await backend.writeFile('lock', '{"nonce":"theirs"}');
    const lost = { code: 'lock-lost', isRetryable: true };
    await expect(backend.writeFile('a', '2', { heldLock })).rejects.toMatchObject(lost);
    await expect(backend.writeFile('new', '2', { heldLock, isExclusive: true })).rejects.toMatchObject(lost);
    await expect(backend.rename('a', 'b', { heldLock })).rejects.toMatchObject(lost);
    await backend.remove('lock');
    await expect(backend.remove('a', { heldLock })).rejects.toMatchObject(lost);
    expect(textOf((await runShell(backend, 'ls -A')).stdout)).toBe('a\n');
    expect(await textAt(backend, 'a')).toBe('1');
  });
}

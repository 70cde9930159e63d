import { describe, expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell, textAt, textOf } from './contract-backend.ts';
import { expectConfined, makeOutsideDirectory } from './outside-directory.ts';

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function textOfStream(stream: ReadableStream<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString('utf8');
}

function reading(options: BackendContractOptions): void {
  it('files:round-trip: gives back the bytes that were written, all 256 of them [D12]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await backend.writeFile('all.bin', bytes);
    const read = await backend.readFile('all.bin');
    expect(Buffer.from(read.bytes).equals(bytes)).toBe(true);
    expect(read.stat).toMatchObject({ kind: 'file', sizeBytes: 256 });
  });

  it('files:empty: an empty file is read as no bytes [T22]', async () => {
    await using contract = await openContractBackend(options);
    await contract.backend.writeFile('e.txt', '');
    expect((await contract.backend.readFile('e.txt')).bytes).toHaveLength(0);
    expect(await textOfStream(await contract.backend.openRead('e.txt'))).toBe('');
  });

  it('files:read-range: reads a part by offset and length, and nothing past the end', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('a.txt', '0123456789');
    const text = async (range: { offset?: number; length?: number }): Promise<string> => {
      const { bytes } = await backend.readFile('a.txt', range);
      expect(await textOfStream(await backend.openRead('a.txt', range))).toBe(Buffer.from(bytes).toString());
      return Buffer.from(bytes).toString();
    };
    expect(await text({ offset: 3, length: 4 })).toBe('3456');
    expect(await text({ offset: 8 })).toBe('89');
    expect(await text({ offset: 8, length: 100 })).toBe('89');
    expect(await text({ offset: 10 })).toBe('');
    expect(await text({ offset: 1_000, length: 1 })).toBe('');
    expect(await text({ length: 0 })).toBe('');
  });

  it('files:read-cap: refuses what is larger than maxBytes without reading it, and gives a part of it [D13]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    // Sparse: a gigabyte that takes no room.
    await runShell(backend, 'dd if=/dev/zero of=big.bin bs=1 count=0 seek=1073741824 2>/dev/null');
    await expect(backend.readFile('big.bin', { maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'file-too-large',
      details: { sizeBytes: 1_073_741_824, maxBytes: 1_000_000 },
    });
    await expect(backend.readFile('big.bin')).rejects.toMatchObject({ code: 'file-too-large' });
    const part = await backend.readFile('big.bin', { maxBytes: 1_000_000, offset: 5, length: 1_000 });
    expect(part.bytes).toHaveLength(1_000);
    const stream = await backend.openRead('big.bin');
    const reader = stream.getReader();
    expect((await reader.read()).value?.byteLength).toBeGreaterThan(0);
    await reader.cancel();
  });

  it('files:read-large: streams a file of many chunks as it was streamed in', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const line = `${'0123456789abcdef'.repeat(64)}\n`;
    async function* content(): AsyncIterable<Uint8Array> {
      for (let count = 0; count < 3_000; count += 1) yield Buffer.from(line);
    }
    await backend.writeStream('big.txt', content());
    let total = 0;
    for await (const chunk of await backend.openRead('big.txt')) total += chunk.byteLength;
    expect(total).toBe(3_000 * line.length);
    const tail = await backend.readFile('big.txt', { offset: total - line.length });
    expect(Buffer.from(tail.bytes).toString()).toBe(line);
  });

  it('files:read-kernel: reads a file that says that it is empty and is not', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const path = '/proc/self/status';
    if ((await backend.stat(path)) === undefined) {
      await expect(backend.readFile(path)).rejects.toMatchObject({ code: 'file-not-found' });
      return;
    }
    expect(await textAt(backend, path)).toContain('Name:');
    expect(await textOfStream(await backend.openRead(path))).toContain('Name:');
    await expect(backend.readFile(path, { maxBytes: 10 })).rejects.toMatchObject({ code: 'file-too-large' });
  });

  it('files:read-special: refuses a FIFO, a device and a directory at once [T25]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'mkfifo p; mkdir d; ln -s p to-p');
    for (const path of ['p', 'to-p', '/dev/null', '/dev/zero']) {
      const refused = { code: 'not-a-file', details: { kind: 'other' } };
      await expect(backend.readFile(path)).rejects.toMatchObject(refused);
      await expect(backend.openRead(path)).rejects.toMatchObject(refused);
      await expect(backend.writeFile(path, 'x')).rejects.toMatchObject(refused);
    }
    const directory = { code: 'not-a-file', details: { kind: 'directory' } };
    await expect(backend.readFile('d')).rejects.toMatchObject(directory);
    await expect(backend.writeFile('d', 'x')).rejects.toMatchObject(directory);
    expect((await backend.stat('p'))?.kind).toBe('other');
  });

  it('files:read-missing: says that nothing is there', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await expect(backend.readFile('no/such.txt')).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(backend.openRead('no/such.txt')).rejects.toMatchObject({ code: 'file-not-found' });
    await backend.writeFile('f', '');
    await expect(backend.readFile('f/x')).rejects.toMatchObject({ code: 'not-a-directory' });
  });

  it('files:read-no-follow: refuses a link as the last part where asked to', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await backend.writeFile('real/a.txt', 'x');
    await runShell(backend, 'ln -s a.txt real/link.txt; ln -s real linked');
    const refused = { code: 'not-a-file', details: { kind: 'link' } };
    await expect(backend.readFile('real/link.txt', { noFollow: true })).rejects.toMatchObject(refused);
    await expect(backend.openRead('real/link.txt', { noFollow: true })).rejects.toMatchObject(refused);
    expect(Buffer.from((await backend.readFile('linked/a.txt', { noFollow: true })).bytes).toString()).toBe('x');
  });
}

function writing(options: BackendContractOptions): void {
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
    await expect(backend.writeFile('d/link.txt', 'x', { noFollow: true })).rejects.toMatchObject({ code: 'not-a-file' });
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

function confinement(options: BackendContractOptions): void {
  it('files:link-out: follows no link out of the roots, for no method [X03] [X10]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await using outside = await makeOutsideDirectory(backend);
    await runShell(backend, `ln -s '${outside.path}/secret.txt' f; ln -s '${outside.path}' d`);
    for (const path of ['f', 'd/secret.txt']) {
      await expectConfined(backend, backend.readFile(path));
      await expectConfined(backend, backend.openRead(path).then((stream) => stream.cancel()));
      await expectConfined(backend, backend.stat(path));
    }
    await expectConfined(backend, backend.readDirectory('d'));
    await expectConfined(backend, backend.appendRecord('d/log', ['x']));
    await expectConfined(backend, backend.writeFile('f', 'changed'));
    await expectConfined(backend, backend.rename('d/secret.txt', 'd/moved.txt'));
    await expectConfined(backend, backend.remove('d/moved.txt'));
    if (backend.roots === null) expect(await outside.names()).toEqual(['log']);
    else expect(await textAt(backend, `${outside.path}/secret.txt`)).toBe('secret');
    expect(await backend.realPath('f')).toBe(await backend.realPath(`${outside.path}/secret.txt`));
    expect((await backend.stat('f', { noFollow: true }))?.kind).toBe('link');
  });

  it('files:link-out-new: makes nothing where a linked parent or a dangling link leads out [X04]', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await using outside = await makeOutsideDirectory(backend);
    await runShell(backend, `ln -s '${outside.path}' d; ln -s '${outside.path}/made.txt' dangling`);
    await expectConfined(backend, backend.writeFile('d/new/x.txt', 'x'));
    await expectConfined(backend, backend.makeDirectory('d/made'));
    await expectConfined(backend, backend.writeFile('dangling', 'x'));
    const expected = backend.roots === null ? ['made', 'made.txt', 'new', 'secret.txt'] : ['secret.txt'];
    expect(await outside.names()).toEqual(expected);
  });

  it('files:dotted-name: a name that begins with two dots is a name [X08]', async () => {
    await using contract = await openContractBackend(options);
    await contract.backend.writeFile('..cache/a.txt', 'x');
    expect(await textAt(contract.backend, `${contract.backend.workdir}/..cache/a.txt`)).toBe('x');
  });

  it('files:path-invalid: refuses paths that no file can have, and loops of links', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    await runShell(backend, 'ln -s loop-b loop-a; ln -s loop-a loop-b');
    const invalid = { code: 'path-invalid' };
    for (const path of ['', 'a\0b', 'x'.repeat(300), `a/${'x'.repeat(300)}/b`, 'loop-a', 'loop-a/x', '\ud800']) {
      await expect(backend.readFile(path)).rejects.toMatchObject(invalid);
      await expect(backend.writeFile(path, '')).rejects.toMatchObject(invalid);
      await expect(backend.stat(path)).rejects.toMatchObject(invalid);
    }
    await expect(backend.realPath('loop-a')).rejects.toMatchObject(invalid);
    expect((await backend.stat('loop-a', { noFollow: true }))?.kind).toBe('link');
  });

  it('files:real-path: follows links, and keeps what is missing behind the nearest parent', async () => {
    await using contract = await openContractBackend(options);
    const { backend } = contract;
    const real = await backend.realPath('.');
    await runShell(backend, 'mkdir -p a/b; ln -s a/b l; ln -s a/none dangling');
    await backend.writeFile('a/b/f', '');
    expect(await backend.realPath('l/f')).toBe(`${real}/a/b/f`);
    expect(await backend.realPath('l/no/such')).toBe(`${real}/a/b/no/such`);
    expect(await backend.realPath('dangling/x')).toBe(`${real}/a/none/x`);
    expect(await backend.realPath('l/../c')).toBe(`${real}/c`);
  });
}

function entries(options: BackendContractOptions): void {
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
    expect(textOf((await runShell(backend, 'ls -A')).stdout)).toBe('a\n');
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

/** Single files and directories. */
export function filesContract(options: BackendContractOptions): void {
  describe('files', () => {
    reading(options);
    writing(options);
    confinement(options);
    entries(options);
  });
}

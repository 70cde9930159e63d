import { expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell, textAt } from './contract-backend.ts';

async function textOfStream(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Reading files. */
export function filesReadContract(options: BackendContractOptions): void {
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
    // Only Linux has such files.
    const hasKernelFiles = (await backend.stat('/proc/self/status')) !== undefined;
    const path = hasKernelFiles ? '/proc/self/status' : 'status';
    await backend.writeFile('status', 'Name:\tfile\n');
    expect(await textAt(backend, path)).toMatch(/^Name:\t/);
    expect(await textOfStream(await backend.openRead(path))).toMatch(/^Name:\t/);
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

import type { AppendRecordResult, Backend } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { type BackendContractOptions, openContractBackend, runShell, textAt, textOf } from './contract-backend.ts';

const record = (id: string, content = 'x'): string => JSON.stringify({ id, content });
const skipExisting = true;

async function linesAt(backend: Backend, path: string): Promise<readonly string[]> {
  return (await textAt(backend, path)).split('\n');
}

function appended(result: AppendRecordResult): number {
  return result.appended;
}

/** `Backend.appendRecord`. */
export function recordsContract(options: BackendContractOptions): void {
  describe('records', () => {
    it('records:append: adds lines to the end, and makes the file and its directories [O13]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const first = await backend.appendRecord('s/a/log.jsonl', [record('1'), record('2')]);
      expect(first).toEqual({ appended: 2, closedTornLine: false, sizeBytes: 50 });
      const before = await backend.stat('s/a/log.jsonl');
      await backend.appendRecord('s/a/log.jsonl', [record('3')]);
      expect(await linesAt(backend, 's/a/log.jsonl')).toEqual([record('1'), record('2'), record('3'), '']);
      // The same file, not one that was written anew.
      const inode = (version = ''): string => version.split('-').slice(0, 2).join('-');
      expect(inode((await backend.stat('s/a/log.jsonl'))?.version)).toBe(inode(before?.version));
    });

    it('records:append-none: no record makes no line', async () => {
      await using contract = await openContractBackend(options);
      const result = await contract.backend.appendRecord('log', []);
      expect(result).toEqual({ appended: 0, closedTornLine: false, sizeBytes: 0 });
    });

    it('records:one-line: refuses a record of more than one line, and then writes none', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const refused = backend.appendRecord('log', ['fine', 'two\nlines']);
      await expect(refused).rejects.toMatchObject({ code: 'message-invalid' });
      expect(await backend.stat('log')).toBeUndefined();
    });

    it('records:torn-line: closes a torn last line off and says so [O12]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await runShell(backend, `printf '{"id":"1","content":"x"}\\n{"id":"2","content":"\\344\\275' > log`);
      const result = await backend.appendRecord('log', [record('2')], { skipExisting });
      expect(result).toMatchObject({ appended: 1, closedTornLine: true });
      const lines = await linesAt(backend, 'log');
      expect(lines).toHaveLength(4);
      expect([lines[0], lines[2], lines[3]]).toEqual([record('1'), record('2'), '']);
      expect(await backend.appendRecord('log', [record('3')])).toMatchObject({ closedTornLine: false });
    });

    it('records:torn-complete: a last record that lacks only its line end is there', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await backend.writeFile('log', `${record('1')}\n${record('2')}`);
      const result = await backend.appendRecord('log', [record('2')], { skipExisting });
      expect(result).toMatchObject({ appended: 0, closedTornLine: true });
      expect(await textAt(backend, 'log')).toBe(`${record('1')}\n${record('2')}\n`);
    });

    it('records:skip-existing: leaves out what has the same id and content', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const append = async (...records: readonly string[]): Promise<number> =>
        appended(await backend.appendRecord('log', records, { skipExisting }));
      expect(await append(record('1'), record('2'))).toBe(2);
      expect(await append(record('1'), record('2'), record('3'))).toBe(1);
      expect(await append('{"at":"later","content":"x","id":"1"}')).toBe(0);
      expect(await append(record('1', 'another content'))).toBe(1);
      expect(await append('text', '[1]')).toBe(2);
      expect(await append('text', '[1]', '[2]')).toBe(1);
      expect(await linesAt(backend, 'log')).toHaveLength(8);
    });

    it('records:skip-repeated: counts a record once that comes twice in one call', async () => {
      await using contract = await openContractBackend(options);
      const records = [record('1'), record('1'), record('2'), record('1')];
      const result = await contract.backend.appendRecord('log', records, { skipExisting });
      expect(result.appended).toBe(2);
      expect(await linesAt(contract.backend, 'log')).toEqual([record('1'), record('2'), '']);
    });

    it('records:skip-foreign: knows what others wrote, between blank and torn lines too', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await backend.appendRecord('log', [record('1')], { skipExisting });
      const foreign = [record('2'), '', '{"id":"to', '   ', record('3')];
      await backend.exec(['sh', '-c', 'printf "%s\\n" "$@" >> log', 'sh', ...foreign]);
      const again = [record('1'), record('2'), record('3'), record('4')];
      expect(await backend.appendRecord('log', again, { skipExisting })).toMatchObject({ appended: 1 });
      expect(await backend.appendRecord('log', again, { skipExisting })).toMatchObject({ appended: 0 });
      await backend.appendRecord('log', [record('5')]);
      expect(await backend.appendRecord('log', [record('5')], { skipExisting })).toMatchObject({ appended: 0 });
    });

    it('records:skip-replaced: goes by the file as it is, made shorter, replaced or removed', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const all = Array.from({ length: 50 }, (_, index) => record(`m${index}`));
      const append = async (records: readonly string[]): Promise<number> =>
        appended(await backend.appendRecord('log', records, { skipExisting }));
      expect(await append(all)).toBe(50);
      await backend.writeFile('log', `${all[7]}\n`);
      expect(await append(all.slice(0, 10))).toBe(9);
      await backend.writeFile('log', `${'another file altogether'.repeat(500)}\n${all[3]}\n`);
      expect(await append(all.slice(0, 10))).toBe(9);
      await backend.remove('log');
      expect(await append(all)).toBe(50);
    });

    it('records:skip-many: tells thousands of records apart, added in many calls', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const batch = (start: number): string[] =>
        Array.from({ length: 250 }, (_, index) => record(`id-${start + index}`, `text ${start + index}`));
      for (let start = 0; start < 5_000; start += 250) {
        expect(await backend.appendRecord('log', batch(start), { skipExisting })).toMatchObject({ appended: 250 });
      }
      for (const start of [0, 1_900, 4_750]) {
        expect(await backend.appendRecord('log', batch(start), { skipExisting })).toMatchObject({ appended: 0 });
      }
      expect(await backend.appendRecord('log', batch(4_900), { skipExisting })).toMatchObject({ appended: 150 });
      const count = await runShell(backend, 'wc -l < log; sort log | uniq -d | wc -l');
      expect(textOf(count.stdout).split(/\s+/).filter(Boolean)).toEqual(['5150', '0']);
    });

    it('records:together: appends at the same time lose nothing and mix no lines', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const calls = Array.from({ length: 40 }, (_, index) =>
        backend.appendRecord('log', [record(`a${index}`), record(`b${index}`)], { skipExisting }),
      );
      const results = await Promise.all(calls);
      expect(results.every((result) => result.appended === 2)).toBe(true);
      const lines = (await linesAt(backend, 'log')).filter((line) => line !== '');
      expect(new Set(lines).size).toBe(80);
      const pairs = lines.flatMap((line, index) => (index % 2 === 0 ? [[line, lines[index + 1]]] : []));
      expect(pairs).toEqual(pairs.map(([line = '']) => [line, line.replace('"a', '"b')]));
    });

    it('records:regular: refuses a link, a FIFO and a directory [X10]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await runShell(backend, 'touch real; ln -s real l; mkfifo p; mkdir d');
      for (const [path, kind] of [
        ['l', 'link'],
        ['p', 'other'],
        ['d', 'directory'],
      ] as const) {
        const refused = backend.appendRecord(path, ['x'], { skipExisting });
        await expect(refused).rejects.toMatchObject({ code: 'not-a-file', details: { kind } });
      }
      expect(await textAt(backend, 'real')).toBe('');
    });

    it('records:held-lock: writes nothing, and makes no file, once the lock is lost', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const heldLock = { path: 'lock', nonce: 'mine' };
      await backend.writeFile('lock', 'mine');
      await backend.appendRecord('log', ['1'], { heldLock, sync: true });
      await backend.writeFile('lock', 'theirs');
      const lost = { code: 'lock-lost' };
      await expect(backend.appendRecord('log', ['2'], { heldLock })).rejects.toMatchObject(lost);
      await expect(backend.appendRecord('new/log', ['2'], { heldLock })).rejects.toMatchObject(lost);
      expect(await textAt(backend, 'log')).toBe('1\n');
      expect(await backend.stat('new')).toBeUndefined();
    });
  });
}

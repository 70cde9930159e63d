import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readdirSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Pipe } from './make-pipes.ts';
import { PipePool } from './pipe-pool.ts';

function nameOf(descriptor: number): string {
  return readlinkSync(`/proc/self/fd/${descriptor}`);
}

function closePipes(pipes: readonly Pipe[]): void {
  for (const { readEnd, writeEnd } of pipes) {
    closeSync(readEnd);
    closeSync(writeEnd);
  }
}

function countDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

let directory = '';
let warn = vi.fn<Logger['warn']>();
let logger: Logger;
let pool: PipePool;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pipes-'));
  warn = vi.fn<Logger['warn']>();
  logger = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
  pool = new PipePool({ logger });
});
afterEach(async () => {
  await pool.close();
  await rm(directory, { recursive: true });
});

async function takeOne(): Promise<Pipe> {
  const [pipe, ...others] = await pool.take(1);
  if (pipe === undefined || others.length > 0) throw new Error('The pool did not give one pipe.');
  return pipe;
}

/** Lets a pipe come to its end, and returns whether the pool has it again. */
async function comesBack(pipe: Pipe): Promise<boolean> {
  const name = nameOf(pipe.readEnd);
  const reader = pool.openReader(pipe).resume();
  closeSync(pipe.writeEnd);
  await once(reader, 'close');
  const all = await pool.take(5);
  const names = all.map(({ readEnd }) => nameOf(readEnd));
  closePipes(all);
  return names.includes(name);
}

describe.runIf(process.platform === 'linux')('PipePool', () => {
  it.each(['/bin/sh', '/bin/dash', '/bin/bash', '/bin/busybox'].filter((path) => existsSync(path)))(
    'has pipes made by %s',
    async (path) => {
      // Busybox is the program whose name it is called by.
      const shell = join(directory, 'sh');
      await symlink(path, shell);
      const other = new PipePool({ shell, logger });
      const pipes = await other.take(20);
      expect(new Set(pipes.map(({ readEnd }) => nameOf(readEnd))).size).toBe(20);
      for (const [index, { readEnd, writeEnd }] of pipes.entries()) {
        expect(nameOf(readEnd)).toMatch(/^pipe:/);
        expect(nameOf(writeEnd)).toBe(nameOf(readEnd));
        writeSync(writeEnd, `text ${index}`);
      }
      const bytes = Buffer.alloc(64);
      const texts = pipes.map(({ readEnd }) => bytes.toString('utf8', 0, readSync(readEnd, bytes)));
      expect(texts).toStrictEqual(pipes.map((_, index) => `text ${index}`));
      closePipes(pipes);
      await other.close();
      expect(warn).not.toHaveBeenCalled();
    },
  );

  it('gives each pipe to one taker, however many ask at once', async () => {
    const taken = (await Promise.all(Array.from({ length: 30 }, () => pool.take(3)))).flat();
    expect(new Set(taken.map(({ readEnd }) => nameOf(readEnd))).size).toBe(90);
    closePipes(taken);
  });

  it('lets no other program have its descriptors', async () => {
    const taken = await pool.take(2);
    const names = taken.map(({ readEnd }) => nameOf(readEnd));
    const inChild = execFileSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' });
    expect(inChild).toContain('/proc/');
    expect(names.filter((name) => inChild.includes(name))).toStrictEqual([]);
    closePipes(taken);
  });

  it('uses a pipe again that has come to its end', async () => {
    expect(await comesBack(await takeOne())).toBe(true);
  });

  it('lets a pipe go that somebody else reads', async () => {
    const pipe = await takeOne();
    const foreign = openSync(`/proc/self/fd/${pipe.readEnd}`, constants.O_RDONLY);
    expect(await comesBack(pipe)).toBe(false);
    closeSync(foreign);
  });

  it('lets a pipe go whose reader was destroyed before its end', async () => {
    const pipe = await takeOne();
    const reader = pool.openReader(pipe);
    reader.destroy();
    await once(reader, 'close');
    expect(() => writeSync(pipe.writeEnd, 'x')).toThrow('EPIPE');
    closeSync(pipe.writeEnd);
  });

  it('closes all that it has, also what is being made or read at that moment', async () => {
    closePipes(await pool.take(1));
    await pool.close();
    const before = countDescriptors();
    const other = new PipePool({ logger });
    const pipe = (await other.take(3))[0];
    const reader = pipe && other.openReader(pipe).resume();
    expect(countDescriptors()).toBeGreaterThan(before);
    await other.close();
    expect(reader?.closed).toBe(false);
    expect(await other.take(1)).toStrictEqual([]);
  });

  it('gives none where the shell makes none, and soon asks it no more', async () => {
    const shell = join(directory, 'shell');
    await writeFile(shell, '#!/bin/sh\necho called >>"$0.calls"\n', { mode: 0o755 });
    const other = new PipePool({ shell, logger });
    for (let round = 0; round < 5; round += 1) expect(await other.take(2)).toStrictEqual([]);
    await other.close();
    expect(execFileSync('cat', [`${shell}.calls`], { encoding: 'utf8' })).toBe('called\n'.repeat(3));
  });

  it('leaves no descriptor behind of a shell that fails halfway', async () => {
    const shell = join(directory, 'shell');
    await writeFile(shell, '#!/bin/sh\necho $$ >&3\necho 1 >&3\n', { mode: 0o755 });
    await new PipePool({ shell, logger }).take(1);
    const before = countDescriptors();
    const other = new PipePool({ shell, logger });
    expect(await other.take(2)).toStrictEqual([]);
    await other.close();
    await expect.poll(countDescriptors).toBe(before);
    expect(warn).toHaveBeenCalled();
  });
});

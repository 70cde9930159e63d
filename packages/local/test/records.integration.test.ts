import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from '../src/local-backend.ts';

let workdir: string;

beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'aw-records-'));
});

afterEach(() => rm(workdir, { recursive: true, force: true }));

const record = (id: string): string => JSON.stringify({ id, content: 'x'.repeat(1_000) });

function recordingLogger(): { logger: Logger; warnings: string[] } {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  return {
    logger: { debug: ignore, info: ignore, error: ignore, warn: (message) => warnings.push(message) },
    warnings,
  };
}

describe('appended records', () => {
  it('takes back the part of a write that did not fit', () => {
    const file = join(workdir, 'log');
    writeFileSync(file, `${record('first')}\n`);
    const before = statSync(file).size;
    const fixture = fileURLToPath(new URL('fixtures/append-records.ts', import.meta.url));
    // A limit of 8 blocks of 512 bytes: three more records fit, and part of a fourth.
    const script = `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`;
    const { stdout } = spawnSync('sh', ['-c', script, process.execPath, fixture, workdir], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({ code: 'io-failed', errno: 'EFBIG' });
    expect(statSync(file).size).toBe(before);
    expect(readFileSync(file, 'utf8')).toBe(`${record('first')}\n`);
  });

  it('goes on without an index where none can be kept, and says so', async () => {
    mkdirSync(join(workdir, '.workspace'));
    writeFileSync(join(workdir, '.workspace/records'), 'no directory');
    const { logger, warnings } = recordingLogger();
    await using stack = new AsyncDisposableStack();
    const backend = stack.adopt(new LocalBackend({ workdir, logger }), (adopted) => adopted.close());
    await backend.appendRecord('log', [record('1')], { skipExisting: true });
    const again = await backend.appendRecord('log', [record('1'), record('2')], { skipExisting: true });
    expect(again.appended).toBe(1);
    expect(warnings).toEqual(
      Array.from({ length: 2 }, () => 'The index of records cannot be used. The file is read instead.'),
    );
  });

  it('keeps no index through a link that leads out', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'aw-outside-'));
    mkdirSync(join(workdir, '.workspace'));
    symlinkSync(outside, join(workdir, '.workspace/records'));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rm(outside, { recursive: true }));
    const backend = stack.adopt(new LocalBackend({ workdir }), (adopted) => adopted.close());
    expect(await backend.appendRecord('log', [record('1')], { skipExisting: true })).toMatchObject({ appended: 1 });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('keeps its index when the workspace is moved', async () => {
    const before = new LocalBackend({ workdir: join(workdir, 'a') });
    await before.appendRecord('s/log', [record('1'), record('2')], { skipExisting: true });
    await before.close();
    const mover = new LocalBackend({ workdir });
    await mover.rename('a', 'b');
    await mover.close();
    const after = new LocalBackend({ workdir: join(workdir, 'b') });
    expect(await after.appendRecord('s/log', [record('1'), record('3')], { skipExisting: true })).toMatchObject({
      appended: 1,
    });
    await after.close();
    expect(readdirSync(join(workdir, 'b/.workspace/records'))).toHaveLength(1);
  });

  it('lets two processes append at the same time without a lock, and lose no line', async () => {
    const fixture = fileURLToPath(new URL('fixtures/append-records.ts', import.meta.url));
    await using stack = new AsyncDisposableStack();
    const backend = stack.adopt(new LocalBackend({ workdir }), (adopted) => adopted.close());
    const workers = ['a', 'b'].map((name) => backend.exec([process.execPath, fixture, workdir, name, '200']));
    for (const { end } of await Promise.all(workers)) expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    const lines = readFileSync(join(workdir, 'log'), 'utf8').trimEnd().split('\n');
    expect(new Set(lines).size).toBe(400);
    expect(lines).toHaveLength(400);
    const again = await backend.appendRecord('log', lines, { skipExisting: true });
    expect(again.appended).toBe(0);
  });

  it('appends to a file that may be written and not to one that may not', async () => {
    const file = join(workdir, 'log');
    writeFileSync(file, '');
    chmodSync(file, 0o444);
    await using stack = new AsyncDisposableStack();
    const backend = stack.adopt(new LocalBackend({ workdir }), (adopted) => adopted.close());
    const result = await backend.appendRecord('log', ['x']).then(
      () => 'appended',
      (error: { code?: string }) => error.code,
    );
    expect(result).toBe(process.geteuid?.() === 0 ? 'appended' : 'permission-denied');
  });
});

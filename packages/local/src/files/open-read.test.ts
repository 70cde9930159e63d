import { truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRead } from './open-read.ts';
import { PathGuard } from './path-guard.ts';

/** Too many for the slice of time that one reader has to itself. */
const MANY_BYTES = 2 * 1024 ** 3;

let workdir = '';
beforeAll(async () => {
  workdir = await realpath(await mkdtemp(join(tmpdir(), 'open-read-')));
  writeFileSync(join(workdir, 'large'), '');
  truncateSync(join(workdir, 'large'), MANY_BYTES);
});
afterAll(() => rm(workdir, { recursive: true }));

describe('a stream over a large file', () => {
  it('lets everything else have its turn, an abort for one', async () => {
    const abort = new AbortController();
    let bytesRead = 0;
    const readAll = async (): Promise<void> => {
      const guard = new PathGuard(workdir, [workdir]);
      for await (const chunk of openRead(guard, 'large', { signal: abort.signal })) bytesRead += chunk.byteLength;
    };
    setImmediate(() => abort.abort());
    await expect(readAll()).rejects.toMatchObject({ code: 'operation-aborted' });
    expect(bytesRead).toBeLessThan(MANY_BYTES);
  });
});

import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Layout, WorkspaceLock } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from '../src/index.ts';

describe('the lock of a workspace', () => {
  let workdir: string;
  let backend: LocalBackend;
  let lockFile: string;

  beforeEach(async () => {
    workdir = await mkdtemp(join(tmpdir(), 'agent-workspace-lock-'));
    backend = new LocalBackend({ workdir });
    ({ lockFile } = new Layout(workdir));
  });

  afterEach(async () => {
    await backend.close();
    await rm(workdir, { recursive: true, force: true });
  });

  /** As another object, process or host would have it. */
  const lock = (): WorkspaceLock => new WorkspaceLock(backend, lockFile);

  it('lets one in at a time, whoever holds it', async () => {
    const locks = Array.from({ length: 10 }, lock);
    let inside = 0;
    let most = 0;
    await Promise.all(
      locks.flatMap((each) =>
        Array.from({ length: 5 }, () =>
          each.run(async () => {
            inside += 1;
            most = Math.max(most, inside);
            await backend.writeFile(join(workdir, 'counter'), String(inside));
            inside -= 1;
          }),
        ),
      ),
    );
    expect(most).toBe(1);
    await expect(stat(lockFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is free again after a failure', async () => {
    const one = lock();
    await expect(one.run(() => Promise.reject(new Error('failed inside')))).rejects.toThrow('failed inside');
    expect(await one.run(() => Promise.resolve('next'))).toBe('next');
  });

  it('takes over from a process that is gone at once [M38]', async () => {
    const owner = backend.lockOwner?.id.replace(/:\d+:(\d+)$/, ':2147483646:$1');
    await lock().run(() => Promise.resolve());
    await writeFile(lockFile, JSON.stringify({ nonce: 'left-behind', owner }));
    const startedAt = performance.now();
    await lock().run(() => Promise.resolve());
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it.each(['', '{"nonce":"another-host"}', '\0\0'])(
    'takes over %j from a host that stopped renewing it',
    async (content) => {
      await lock().run(() => Promise.resolve());
      await writeFile(lockFile, content);
      const longAgo = new Date(Date.now() - 6_000);
      await utimes(lockFile, longAgo, longAgo);
      expect(await lock().run(() => Promise.resolve('taken over'))).toBe('taken over');
      await expect(stat(lockFile)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it('is not taken from a holder that works for longer than the lease', async () => {
    let isDone = false;
    const holder = lock().run(async () => {
      const since = performance.now();
      await expect.poll(() => performance.now() - since, { timeout: 10_000 }).toBeGreaterThan(6_500);
      isDone = true;
    });
    await expect
      .poll(() =>
        stat(lockFile).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await lock().run(async () => expect(isDone).toBe(true));
    await holder;
  });

  it('lets nothing be written by a holder that lost it', async () => {
    const path = join(workdir, 'state');
    await writeFile(path, 'of the new holder');
    await lock().run(async (guard) => {
      await writeFile(lockFile, JSON.stringify({ nonce: 'someone-else' }));
      await expect(backend.writeFile(path, 'late', guard)).rejects.toMatchObject({ code: 'lock-lost' });
      await expect(backend.appendRecord(path, ['late'], guard)).rejects.toMatchObject({ code: 'lock-lost' });
      await expect(backend.rename(path, `${path}2`, guard)).rejects.toMatchObject({ code: 'lock-lost' });
      await expect(backend.remove(path, guard)).rejects.toMatchObject({ code: 'lock-lost' });
    });
    expect(await readFile(path, 'utf8')).toBe('of the new holder');
    expect(await readFile(lockFile, 'utf8')).toContain('someone-else');
  });
});

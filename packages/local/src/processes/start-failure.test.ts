import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from './start-child.ts';
import { assertRunnable } from './start-failure.ts';

let cwd = '';
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'start-'));
  await writeFile(join(cwd, 'script'), '#!/no/such/interpreter\n');
  await chmod(join(cwd, 'script'), 0o755);
  await writeFile(join(cwd, 'data'), '');
});
afterAll(() => rm(cwd, { recursive: true }));

const env = { PATH: process.env['PATH'] ?? '' };

describe('a command that cannot be started', () => {
  it('names a missing interpreter, where the system says that the script is missing', async () => {
    const starting = startChild({ argv: ['./script'], cwd, env, stdio: 'ignore' });
    await expect(starting).rejects.toMatchObject({
      details: { reason: 'failed', command: './script' },
      message: expect.stringContaining('interpreter') as string,
    });
  });

  it.each([
    { argv: ['no-such-command'], reason: 'command-not-found' },
    { argv: ['./data'], reason: 'not-executable' },
    { argv: ['./no/such/file'], reason: 'command-not-found' },
    { argv: ['./data/file'], reason: 'command-not-found' },
    { argv: ['true'], at: 'no-such-directory', reason: 'cwd-not-found' },
    { argv: ['true'], at: 'data', reason: 'cwd-not-found' },
    { argv: ['true', '\0'], reason: 'failed' },
    { argv: ['true'], env: { NAME: 'a\0b' }, reason: 'failed' },
  ])('is told for the same reason beforehand as by the attempt: $argv $at $reason', async ({ at = '', ...failure }) => {
    const place = { argv: failure.argv, cwd: join(cwd, at), env: { ...env, ...failure.env } };
    const expected = { code: 'exec-failed', details: { reason: failure.reason, command: failure.argv[0] } };
    await expect(startChild({ ...place, stdio: 'ignore' })).rejects.toMatchObject(expected);
    await expect(assertRunnable(place)).rejects.toMatchObject(expected);
  });

  it('lets pass what can be started', async () => {
    await expect(assertRunnable({ argv: ['sh'], cwd, env })).resolves.toBeUndefined();
    await expect(assertRunnable({ argv: ['/bin/sh'], cwd, env: {} })).resolves.toBeUndefined();
  });
});

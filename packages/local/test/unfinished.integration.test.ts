import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lutimesSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from '../src/local-backend.ts';

const fixture = fileURLToPath(new URL('fixtures/unfinished-writes.ts', import.meta.url));
const TWO_HOURS_MS = 2 * 60 * 60 * 1000;

describe('what a writer leaves unfinished', () => {
  let workdir: string;

  beforeEach(async () => {
    workdir = await mkdtemp(join(tmpdir(), 'aw-unfinished-'));
  });

  afterEach(() => rm(workdir, { recursive: true, force: true }));

  /** As a process does that has just started. */
  async function write(name: string): Promise<void> {
    await using stack = new AsyncDisposableStack();
    const backend = stack.adopt(new LocalBackend({ workdir }), (adopted) => adopted.close());
    await backend.writeFile(join('d', name), name);
  }

  const all = (): readonly string[] => readdirSync(join(workdir, 'd'), { recursive: true, encoding: 'utf8' });
  const unfinished = (): readonly string[] => all().filter((path) => /^\.aw-tmp-[^/]*$/.test(path));

  it('stays while the writer lives, and goes with the first write into the directory after it was killed', async () => {
    const writer = spawn(process.execPath, [fixture, workdir], { stdio: ['ignore', 'ignore', 'inherit'] });
    const exited = once(writer, 'exit');
    try {
      await write('before');
      await expect.poll(() => all().filter((path) => path.endsWith('a/b/c')).length).toBe(1);
      await write('during');
      expect(unfinished()).toHaveLength(2);
    } finally {
      writer.kill('SIGKILL');
      await exited;
    }
    const backend = new LocalBackend({ workdir });
    const canTellProcesses = backend.lockOwner !== undefined;
    await backend.close();
    const then = new Date(Date.now() - TWO_HOURS_MS);
    if (!canTellProcesses) for (const name of unfinished()) lutimesSync(join(workdir, 'd', name), then, then);
    expect(unfinished()).toHaveLength(2);
    await write('after');
    expect(all().toSorted()).toEqual(['after', 'before', 'during']);
  });
});

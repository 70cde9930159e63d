import { execFile } from 'node:child_process';
import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from '../local-backend.ts';

const run = promisify(execFile);
const OLD = Buffer.alloc(700_000, 'the old content ');

let workdir = '';
let file = '';
beforeEach(async () => {
  workdir = await realpath(await mkdtemp(join(tmpdir(), 'publish-')));
  file = join(workdir, 'file');
  writeFileSync(file, OLD);
  linkSync(file, join(workdir, 'other-name'));
});
afterEach(() => rm(workdir, { recursive: true }));

describe('a file that is written in place', () => {
  it.each([0, 1, 300_000, 700_000, 1_500_000])(
    'has the new content, of %d bytes, under all its names',
    async (length) => {
      const content = Buffer.alloc(length, 'the new one ');
      const { atomic, stat } = await new LocalBackend({ workdir }).writeFile('file', content);
      expect([atomic, stat.sizeBytes]).toEqual([false, length]);
      expect(readFileSync(join(workdir, 'other-name')).equals(content)).toBe(true);
    },
  );

  it.runIf(process.platform === 'linux')('keeps its old content where there is no room for the new one', async () => {
    const source = new URL('../local-backend.ts', import.meta.url).href;
    const program = `
      import { execFileSync } from 'node:child_process';
      import { LocalBackend } from ${JSON.stringify(source)};
      async function* content() {
        yield Buffer.alloc(2_000_000, 'new');
        // It is in the temporary file by now, and has to go into the one that is there.
        execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=1000000:']);
      }
      const backend = new LocalBackend({ workdir: ${JSON.stringify(workdir)} });
      await backend.writeStream('file', content()).catch((error) => console.log(error.code, error.details.errno));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toBe('io-failed EFBIG\n');
    expect(readFileSync(file).equals(OLD)).toBe(true);
    expect(readdirSync(workdir)).toEqual(['file', 'other-name']);
  });
});

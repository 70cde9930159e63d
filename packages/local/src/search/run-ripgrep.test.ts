import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const MAX_DESCRIPTORS = 64;

describe('runRipgrep', () => {
  it('fails alone where its process has no descriptor left', async () => {
    const source = new URL('./run-ripgrep.ts', import.meta.url).href;
    const program = `
      import { openSync } from 'node:fs';
      import { runRipgrep } from ${JSON.stringify(source)};
      try {
        for (;;) openSync('/dev/null');
      } catch (error) {
        console.log(error.code);
      }
      const { signal } = new AbortController();
      const search = { binary: '/bin/true', args: [], cwd: '/', pattern: 'x', timeoutMs: 60_000, signal, onOutput: () => undefined };
      await runRipgrep(search).catch((error) => console.log(error.code, error.cause.code));`;
    const node = [process.execPath, '--input-type=module', '--eval', program];
    const { stdout } = await run('sh', ['-c', `ulimit -n ${MAX_DESCRIPTORS} && exec "$@"`, 'sh', ...node]);
    expect(stdout).toBe('EMFILE\nsearch-unavailable EMFILE\n');
  });
});

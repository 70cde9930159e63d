import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { gatewayBundle } from '../src/bundle/gateway-bundle.ts';
import { NODES } from './support/nodes.ts';

const run = promisify(execFile);

describe.each(NODES)('what each start of the gateway reads, on $name', ({ node }) => {
  it('is ASCII, which Node reads fastest', async () => {
    const { path } = await gatewayBundle();
    expect((await readFile(path)).findIndex((byte) => byte > 0x7f)).toBe(-1);
  });

  it('is no builtin module that takes long and is not needed', async () => {
    const { path } = await gatewayBundle();
    const program = `
      process.argv.splice(1, 0, 'gateway');
      require(${JSON.stringify(path)});
      process.on('exit', () => console.log('\\n' + process.moduleLoadList.join('\\n')));
    `;
    const { stdout } = await run(node, ['--eval', program, '--', '--version']);
    const loaded = stdout.split('\n');
    expect(loaded).toContain('NativeModule http');
    expect(loaded).not.toContain('NativeModule http2');
  });
});

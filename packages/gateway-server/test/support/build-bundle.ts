import { execFile } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLED = 'packages/{core,gateway-protocol,gateway-server,local,mcp}';

async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

/** Builds the gateway if its sources are newer: what is tested is what a sandbox gets. */
export async function setup(): Promise<void> {
  const builtMs = await modifiedMs(join(PACKAGE, 'dist/gateway.cjs'));
  const root = join(PACKAGE, '../..');
  const sources = glob([`${BUNDLED}/src/**/*.ts`, `${BUNDLED}/{package.json,tsdown.config.ts}`], { cwd: root });
  for await (const source of sources) {
    if ((await modifiedMs(join(root, source))) <= builtMs) continue;
    const tsdown = createRequire(join(PACKAGE, 'package.json')).resolve('tsdown/package.json');
    // Another run may be using what is there: it is replaced in one moment, and not removed before.
    const argv = [join(dirname(tsdown), 'dist/run.mjs'), '--no-clean'];
    await promisify(execFile)(process.execPath, argv, { cwd: PACKAGE });
    return;
  }
}

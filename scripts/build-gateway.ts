/* Builds the program that goes into a sandbox, if its sources are newer. All else runs from its sources. */
import { execFile } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE = join(ROOT, 'packages/gateway-server');
const BUNDLED = 'packages/{core,gateway-protocol,gateway-server,local,mcp}';

async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

async function isStale(): Promise<boolean> {
  const builtMs = await modifiedMs(join(PACKAGE, 'dist/gateway.cjs'));
  const sources = glob([`${BUNDLED}/src/**/*.ts`, `${BUNDLED}/{package.json,tsdown.config.ts}`], { cwd: ROOT });
  for await (const source of sources) {
    if ((await modifiedMs(join(ROOT, source))) > builtMs) return true;
  }
  return false;
}

/** What vitest calls before the tests: what is tested is what a sandbox gets. */
export async function setup(): Promise<void> {
  if (!(await isStale())) return;
  console.error('Building the gateway from its sources');
  const tsdown = createRequire(join(PACKAGE, 'package.json')).resolve('tsdown/package.json');
  // Another run may be using what is there: it is replaced in one moment, and not removed before.
  const argv = [join(dirname(tsdown), 'dist/run.mjs'), '--no-clean'];
  await promisify(execFile)(process.execPath, argv, { cwd: PACKAGE });
}

if (import.meta.main) await setup();

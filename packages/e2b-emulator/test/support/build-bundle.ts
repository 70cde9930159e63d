import { execFile } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

/** Builds what runs in the sandboxes if its sources are newer. */
export async function setup(): Promise<void> {
  const builtMs = await modifiedMs(join(PACKAGE, 'dist/envd.cjs'));
  const sources = glob(['src/{attributes,envd,relay,names}/**/*.ts', 'package.json', 'tsdown.config.ts'], {
    cwd: PACKAGE,
  });
  for await (const source of sources) {
    if ((await modifiedMs(join(PACKAGE, source))) <= builtMs) continue;
    const tsdown = createRequire(join(PACKAGE, 'package.json')).resolve('tsdown/package.json');
    // Another run may be using what is there: it is replaced in one moment, and not removed before.
    const argv = [join(dirname(tsdown), 'dist/run.mjs'), '--no-clean'];
    await promisify(execFile)(process.execPath, argv, { cwd: PACKAGE });
    return;
  }
}

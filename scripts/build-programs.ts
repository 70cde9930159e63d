/* Builds the programs that go into sandboxes and browsers, where their sources are newer. All else runs from its sources. */
import { execFile } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Program {
  /** Folder of the package that it is in. */
  readonly directory: string;
  /** What is built last, in that folder. */
  readonly built: string;
  readonly sources: readonly string[];
}

const GATEWAY_PARTS = 'packages/{core,gateway-protocol,gateway-server,local,mcp}';
const EMULATOR = 'packages/e2b-emulator';

const CONSOLE = 'apps/console';

const PROGRAMS: Readonly<Record<string, Program>> = {
  gateway: {
    directory: 'packages/gateway-server',
    built: 'dist/gateway.cjs',
    sources: [`${GATEWAY_PARTS}/src/**/*.ts`, `${GATEWAY_PARTS}/{package.json,tsdown.config.ts,program-plugins.ts}`],
  },
  emulator: {
    directory: EMULATOR,
    built: 'dist/envd.cjs',
    sources: [`${EMULATOR}/src/{attributes,envd,relay,names}/**/*.ts`, `${EMULATOR}/{package.json,tsdown.config.ts}`],
  },
  console: {
    directory: CONSOLE,
    built: 'dist/console.js',
    sources: [`${CONSOLE}/src/page/**/*`, `${CONSOLE}/{package.json,tsdown.config.ts}`],
  },
};

async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

async function isStale({ directory, built, sources }: Program): Promise<boolean> {
  const builtMs = await modifiedMs(join(ROOT, directory, built));
  for await (const source of glob(sources, { cwd: ROOT })) {
    if ((await modifiedMs(join(ROOT, source))) > builtMs) return true;
  }
  return false;
}

async function build(name: string): Promise<void> {
  const program = PROGRAMS[name];
  if (program === undefined)
    throw new Error(`There is no program "${name}". There is: ${Object.keys(PROGRAMS).join(', ')}.`);
  if (!(await isStale(program))) return;
  console.error(`Building the ${name} from its sources`);
  const directory = join(ROOT, program.directory);
  const tsdown = createRequire(join(directory, 'package.json')).resolve('tsdown/package.json');
  // Another run may be using what is there: it is replaced in one moment, and not removed before.
  const argv = [join(dirname(tsdown), 'dist/run.mjs'), '--no-clean'];
  await promisify(execFile)(process.execPath, argv, { cwd: directory });
}

/** What vitest calls before the tests: what is tested is what a sandbox gets. */
export async function setup(): Promise<void> {
  for (const name of Object.keys(PROGRAMS)) await build(name);
}

if (import.meta.main) for (const name of process.argv.slice(2)) await build(name);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { E2BEmulator } from '../../src/index.ts';
import type { CaseOutcome } from '../sdk/run-cases.ts';
import { NODES } from './nodes.ts';

const SOURCES = fileURLToPath(new URL('../sdk/', import.meta.url));

/** An SDK, and a Node that runs it. */
export interface SdkSide {
  readonly name: string;
  readonly version: string;
  readonly node: string;
  readonly sdkUrl: string;
}

function sdkUrl(packageName: string): string {
  const main = createRequire(import.meta.url).resolve(packageName);
  return pathToFileURL(join(dirname(main), 'index.mjs')).href;
}

/** Both generations of the SDK's routes, on each Node. */
export const SDK_SIDES: readonly SdkSide[] = [
  { version: '2.51.0', packageName: 'e2b' },
  { version: '2.45.0', packageName: 'e2b-2-45' },
].flatMap(({ version, packageName }) =>
  NODES.map(({ name, node }) => ({ name: `e2b ${version} on ${name}`, version, node, sdkUrl: sdkUrl(packageName) })),
);

/** Writes the modules of the SDK's cases as the oldest Node can read them. */
async function writeModules(directory: string): Promise<void> {
  for (const name of await readdir(SOURCES)) {
    const source = await readFile(join(SOURCES, name), 'utf8');
    const code = stripTypeScriptTypes(source).replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.mjs'");
    await writeFile(join(directory, `${basename(name, '.ts')}.mjs`), code);
  }
}

export interface RunCasesOptions {
  readonly side: SdkSide;
  readonly emulator: E2BEmulator;
}

/**
 * Runs all cases that apply in a process of their own, for the SDK to be the only thing in it.
 *
 * @returns what is wrong with each case, by its name; `undefined` if nothing is.
 */
export async function runCases(options: RunCasesOptions): Promise<ReadonlyMap<string, string | undefined>> {
  const { side, emulator } = options;
  const directory = await mkdtemp(join(tmpdir(), 'sdk-cases-'));
  try {
    await writeModules(directory);
    const child = spawn(side.node, [join(directory, 'run-cases.mjs'), side.sdkUrl, emulator.isolation], {
      env: { PATH: process.env['PATH'], ...emulator.env, ...emulator.nodeEnv },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
    const exited = once(child, 'exit');
    const outcomes = new Map<string, string | undefined>();
    for await (const line of createInterface(child.stdout)) {
      const { name, problem } = JSON.parse(line) as CaseOutcome;
      outcomes.set(name, problem);
    }
    const [code] = (await exited) as [number | null];
    if (code !== 0) throw new Error(`The SDK's process ended with ${code}: ${said}`);
    return outcomes;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';
import { REPOSITORY_ROOT } from './workspace-packages.ts';

const CACHE = join(REPOSITORY_ROOT, 'node_modules', '.cache', 'agent-workspace');

async function readMajor(binary: string): Promise<number> {
  const { stdout } = await runCommand([binary, '-p', 'process.versions.node'], { cwd: REPOSITORY_ROOT });
  return Number.parseInt(stdout, 10);
}

/**
 * The path of a `node` of this major version: the running one where it fits, else one that npm
 * installs into the cache of this checkout.
 */
export async function findNodeBinary(major: number): Promise<string> {
  if (Number.parseInt(process.versions.node, 10) === major) return process.execPath;
  const directory = join(CACHE, `node-${major}`);
  const binary = join(directory, 'node_modules', 'node', 'bin', 'node');
  const cached = await readMajor(binary).catch(() => undefined);
  if (cached === major) return binary;

  // Installed beside its place, so that an install that is cut short leaves nothing to trip over.
  const unfinished = `${directory}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  await writeFile(join(unfinished, 'package.json'), '{ "private": true }\n');
  await runCommand(['npm', 'install', '--no-audit', '--no-fund', `node@${major}`], { cwd: unfinished });
  await rm(directory, { recursive: true, force: true });
  await rename(unfinished, directory);
  return binary;
}

import { execFile } from 'node:child_process';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..');
const SCOPE = '@agent-workspace/';

const manifestSchema = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  publishConfig: z.object({ exports: z.unknown() }),
});

async function install(name: string, modules: string): Promise<void> {
  const source = join(REPOSITORY_ROOT, 'packages', name.slice(SCOPE.length));
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(source, 'package.json'), 'utf8')));
  const target = join(modules, name);
  if ((await realpath(target).catch(() => undefined)) !== undefined) return;
  await mkdir(target, { recursive: true });
  await writeFile(
    join(target, 'package.json'),
    JSON.stringify({ ...manifest, exports: manifest.publishConfig.exports }),
  );
  await run(join(source, 'node_modules', '.bin', 'tsdown'), ['--out-dir', join(target, 'dist')], { cwd: source });
  for (const dependency of Object.keys(manifest.dependencies)) {
    if (dependency.startsWith(SCOPE)) {
      await install(dependency, modules);
      continue;
    }
    const link = join(target, 'node_modules', dependency);
    await mkdir(dirname(link), { recursive: true });
    await symlink(await realpath(join(source, 'node_modules', dependency)), link);
  }
}

/**
 * Builds a package of ours, and those that it depends on, and lays them out as npm would install
 * them, so that they are imported as their users import them. Packages of others are linked to from
 * this checkout.
 */
export async function makeInstalledLayout(name: string, directory: string): Promise<void> {
  await install(name, join(directory, 'node_modules'));
}

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
  await run('cp', ['-r', join(source, 'dist'), target]);
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
 * Builds a package of ours and lays it out as npm would install it, built files and all, so that it
 * is imported as its users import it. Packages of others are linked to from this checkout.
 */
export async function makeInstalledLayout(name: string, directory: string): Promise<void> {
  await run('pnpm', ['exec', 'turbo', 'run', 'build', `--filter=${name}...`], { cwd: REPOSITORY_ROOT });
  await install(name, join(directory, 'node_modules'));
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  private: z.boolean().default(false),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});

/** A package of this repository that is published. */
export interface WorkspacePackage {
  readonly name: string;
  readonly version: string;
  readonly directory: string;
  /** Names of our packages that its users get with it, itself not included. */
  readonly dependencies: readonly string[];
}

/** The root of the checkout. */
export const REPOSITORY_ROOT: string = join(import.meta.dirname, '..', '..');

const SCOPE = '@agent-workspace/';

export async function listPublishedPackages(root: string = REPOSITORY_ROOT): Promise<readonly WorkspacePackage[]> {
  const folder = join(root, 'packages');
  const packages = await Promise.all(
    (await readdir(folder)).toSorted().map(async (entry) => {
      const directory = join(folder, entry);
      const manifest = manifestSchema.parse(JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')));
      if (manifest.private) return undefined;
      const dependencies = Object.keys({ ...manifest.peerDependencies, ...manifest.dependencies });
      return {
        name: manifest.name,
        version: manifest.version,
        directory,
        dependencies: dependencies.filter((name) => name.startsWith(SCOPE)).toSorted(),
      };
    }),
  );
  return packages.filter((entry) => entry !== undefined);
}

/** The named packages and, transitively, those of ours that they depend on; sorted. */
export function dependencyClosure(names: readonly string[], packages: readonly WorkspacePackage[]): readonly string[] {
  const byName = new Map(packages.map((entry) => [entry.name, entry]));
  const closure = new Set<string>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (closure.has(name)) continue;
    const found = byName.get(name);
    if (found === undefined) throw new Error(`${name} is no published package of this repository.`);
    closure.add(name);
    pending.push(...found.dependencies);
  }
  return [...closure].toSorted();
}

import { pnpmCommand, runCommand } from './run-command.ts';
import { z } from 'zod';

const packOutputSchema = z.object({
  filename: z.string(),
  files: z.array(z.object({ path: z.string() })),
});

export interface PackedPackage {
  /** Absolute path of the tarball. */
  readonly tarball: string;
  /** Paths within the package. */
  readonly files: readonly string[];
}

/**
 * Packs a built package as it is published. Only `pnpm pack` applies `publishConfig.exports` and
 * turns `workspace:` and `catalog:` ranges into versions.
 */
export async function packPackage(directory: string, destination: string): Promise<PackedPackage> {
  const { stdout } = await runCommand([...pnpmCommand(), 'pack', '--pack-destination', destination, '--json'], {
    cwd: directory,
  });
  const { filename, files } = packOutputSchema.parse(JSON.parse(stdout));
  return { tarball: filename, files: files.map((file) => file.path) };
}

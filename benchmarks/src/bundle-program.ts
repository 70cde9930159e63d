import { join } from 'node:path';
import { build } from 'tsdown';

/**
 * Puts a program of this directory into one file that runs anywhere node does.
 *
 * @param name its file's, without the extension
 * @returns the path of the bundle
 */
export async function bundleProgram(name: string, scratch: string): Promise<string> {
  const outDir = join(scratch, 'programs', name);
  await build({
    entry: { [name]: join(import.meta.dirname, `${name}.ts`) },
    outDir,
    format: 'esm',
    platform: 'node',
    dts: false,
    config: false,
    logLevel: 'warn',
    deps: { alwaysBundle: [/./], onlyBundle: false },
  });
  return join(outDir, `${name}.mjs`);
}

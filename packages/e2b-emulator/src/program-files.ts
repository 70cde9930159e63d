import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built programs lie: beside this file when it is built itself, in `dist` in development. */
function programDirectory(): string {
  const isSource = extname(fileURLToPath(import.meta.url)) === '.ts';
  return fileURLToPath(new URL(isSource ? '../dist/' : './', import.meta.url));
}

/** The programs that run outside of the emulator's own process. */
export const PROGRAM_DIRECTORY: string = programDirectory();
export const ENVD_PROGRAM = 'envd.cjs';
/** `setfattr` and `getfattr` for templates without them. */
export const FILE_ATTRIBUTES_PROGRAM = 'file-attributes.cjs';
export const RELAY_PROGRAM = 'relay.cjs';
/** Preloaded by a Node that is to reach `*.localhost`. */
export const LOCALHOST_NAMES_PROGRAM: string = join(PROGRAM_DIRECTORY, 'localhost-names.cjs');

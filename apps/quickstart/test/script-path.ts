import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The PATH that pnpm gives to a script of this app: its dependencies' commands come first. */
export const SCRIPT_PATH: string = [
  fileURLToPath(new URL('../node_modules/.bin', import.meta.url)),
  process.env['PATH'] ?? '',
].join(delimiter);

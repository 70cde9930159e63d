import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a sandbox knows of itself: as variables of every process, and as files. */
const NAMES = ['E2B_SANDBOX', 'E2B_SANDBOX_ID', 'E2B_TEMPLATE_ID'];

/** Writes the variables that have a file as well, such as `.E2B_SANDBOX_ID`. */
export async function writeRunDirectory(directory: string, envs: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const name of NAMES) {
    const value = envs[name];
    if (value !== undefined) await writeFile(join(directory, `.${name}`), value);
  }
}

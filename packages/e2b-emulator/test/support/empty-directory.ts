import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes all that is in a directory, which itself stays. */
export async function emptyDirectory(directory: string): Promise<void> {
  const names = await readdir(directory);
  await Promise.all(names.map((name) => rm(join(directory, name), { recursive: true, force: true })));
}

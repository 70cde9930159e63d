import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Where Debian has commands for root; a PATH need not have them. */
const ROOTS_DIRECTORIES: readonly string[] = ['/usr/sbin', '/sbin'];

/** A PATH by which all of a cluster's commands are found. */
export function searchPath(): string {
  return [process.env['PATH'], ...ROOTS_DIRECTORIES].filter(Boolean).join(delimiter);
}

export async function findCommand(name: string): Promise<string | undefined> {
  for (const directory of searchPath().split(delimiter)) {
    const path = join(directory, name);
    if (directory !== '' && (await isExecutable(path))) return path;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { randomUUID } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './options.ts';

/**
 * Where the workspace is to be. It is left for the workspace to make, which knows best whom it has to
 * belong to.
 *
 * @param keep a directory that is empty or missing. Default: a new one in the temporary directory.
 * @throws UsageError
 */
export async function chooseDirectory(keep: string | undefined): Promise<string> {
  if (keep === undefined) return join(await realpath(tmpdir()), `agent-workspace-${randomUUID()}`);
  if ((await entriesOf(keep)).length > 0) throw new UsageError(`${keep} is not empty.`);
  return keep;
}

async function entriesOf(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

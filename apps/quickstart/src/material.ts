import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workspace } from '@agent-workspace/core';
import { LIBRARY, TABLE } from './question.ts';

/** The table that comes with the app. */
export const TABLE_SOURCE: string = fileURLToPath(new URL('../data/airports.csv', import.meta.url));
/** A real source tree: zod ships its own. */
export const LIBRARY_SOURCE: string = join(
  dirname(fileURLToPath(import.meta.resolve('zod/package.json'))),
  'src/v4/core',
);

/** Puts the table and the source tree into a workspace, wherever its disk is. */
export async function putMaterial({ backend, workdir }: Workspace): Promise<void> {
  await backend.writeFile(`${workdir}/${TABLE}`, await readFile(TABLE_SOURCE), { makeParents: true });
  const entries = await readdir(LIBRARY_SOURCE, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isFile())) {
    const bytes = await readFile(join(LIBRARY_SOURCE, name));
    await backend.writeFile(`${workdir}/${LIBRARY}/${name}`, bytes, { makeParents: true });
  }
}

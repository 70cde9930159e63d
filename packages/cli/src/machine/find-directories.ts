import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A directory that a workspace keeps its files in. */
export interface WorkspaceDirectory {
  readonly path: string;
  readonly workspaceId: string;
  /** Milliseconds since the epoch, if it says so. */
  readonly seededAt: number | undefined;
}

/** Of directories below the one that is looked at. */
const MAX_DEPTH = 3;
/** Nobody works in these, and there may be many of them. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

const stateSchema = z.object({ workspaceId: z.string(), seededAt: z.string().optional() });

/** Directories that carry the mark of a workspace, `.workspace/state.json`: this one, and those below it. */
export async function findWorkspaceDirectories(
  path: string,
  depth: number = MAX_DEPTH,
): Promise<readonly WorkspaceDirectory[]> {
  const own = await readMark(path);
  if (own !== undefined) return [own];
  if (depth === 0) return [];
  const found: WorkspaceDirectory[] = [];
  for (const name of await subdirectories(path))
    found.push(...(await findWorkspaceDirectories(join(path, name), depth - 1)));
  return found;
}

async function readMark(path: string): Promise<WorkspaceDirectory | undefined> {
  try {
    const state = stateSchema.safeParse(JSON.parse(await readFile(join(path, '.workspace', 'state.json'), 'utf8')));
    if (!state.success) return undefined;
    const { workspaceId, seededAt = '' } = state.data;
    return { path, workspaceId, seededAt: Date.parse(seededAt) || undefined };
  } catch {
    // No file of ours, or one that cannot be read: no workspace that could be opened.
    return undefined;
  }
}

async function subdirectories(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
      .map(({ name }) => name)
      .toSorted();
  } catch {
    // One that may not be looked into holds none that could be opened.
    return [];
  }
}

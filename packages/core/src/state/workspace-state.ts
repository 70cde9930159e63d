import { posix } from 'node:path';
import { z } from 'zod';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import { lazy } from '../lazy.ts';
import { listDirectory } from './list-directory.ts';
import { readStateFile } from './state-file.ts';
import type { WorkspaceContext } from './workspace-context.ts';

const FORMAT = 1;
const MAX_FILE_BYTES = 64 * 1024;

const stateSchema = lazy(() =>
  z.looseObject({
    format: z.literal(FORMAT),
    workspaceId: z.string().min(1),
    seededAt: z.string(),
  }),
);

/** What `.workspace/state.json` says. */
export interface WorkspaceState {
  readonly workspaceId: string;
  /** ISO 8601. */
  readonly seededAt: string;
}

/** @throws `state-file-invalid` */
export async function readState({ backend, layout }: WorkspaceContext): Promise<WorkspaceState | undefined> {
  const path = layout.stateFile;
  const text = await readStateFile(backend, path, MAX_FILE_BYTES);
  if (text === undefined) return undefined;
  try {
    return stateSchema().parse(JSON.parse(text));
  } catch (error) {
    const reason = `it is no state file of format ${FORMAT}`;
    throw new StateFileInvalidError({ path, reason }, { cause: error });
  }
}

/** The journal of a seeding under way. While it is there, and no state file, seeding is not done. */
function journalPath({ layout }: WorkspaceContext): string {
  return posix.join(layout.stateDirectory, 'seeding.json');
}

export type SeedingNeed = 'none' | 'begin' | 'resume';

/** What a workspace that has no state file needs. */
export async function seedingNeed(context: WorkspaceContext): Promise<SeedingNeed> {
  // At once, since each is a way to the sandbox and back.
  const [journal, isAgentScopes] = await Promise.all([
    context.backend.stat(journalPath(context), { noFollow: true }),
    hasAgentScopeFiles(context),
  ]);
  if (journal !== undefined) return 'resume';
  return isAgentScopes ? 'none' : 'begin';
}

export async function beginSeeding(context: WorkspaceContext, workspaceId: string): Promise<void> {
  const journal = `${JSON.stringify({ format: FORMAT, workspaceId })}\n`;
  await context.backend.writeFile(journalPath(context), journal, { noFollow: true, sync: context.sync });
}

/** Marks the workspace as seeded, after all that it is seeded with, so that what is not marked is not done. */
export async function writeState(context: WorkspaceContext, workspaceId: string): Promise<void> {
  const { backend, layout, sync } = context;
  const state = { format: FORMAT, workspaceId, seededAt: new Date().toISOString() };
  await backend.writeFile(layout.stateFile, `${JSON.stringify(state, undefined, 2)}\n`, { noFollow: true, sync });
}

/** Once the workspace is marked. */
export async function endSeeding(context: WorkspaceContext): Promise<void> {
  await context.backend.remove(journalPath(context));
}

/** Whether AgentScope worked here: then what is on disk wins over what a new workspace is seeded with. */
async function hasAgentScopeFiles(context: WorkspaceContext): Promise<boolean> {
  const { backend, layout } = context;
  const signs = [
    layout.mcpFile,
    posix.join(layout.skillsDirectory, '.skills'),
    posix.join(layout.skillsDirectory, '.seed'),
  ];
  const isThere = async (path: string): Promise<boolean> =>
    (await backend.stat(path, { noFollow: true })) !== undefined;
  const isBelow = async (directory: string, name: string): Promise<boolean> => {
    for (const entry of await listDirectory(context, directory)) {
      if (entry.kind === 'directory' && (await isThere(posix.join(directory, entry.name, name)))) return true;
    }
    return false;
  };
  const found = await Promise.all([
    ...signs.map(isThere),
    isBelow(layout.skillsDirectory, '.index'),
    isBelow(layout.sessionsDirectory, 'context.jsonl'),
  ]);
  return found.includes(true);
}

import { WorkspaceError } from '../errors/workspace-error.ts';
import type { Diagnostic } from '../events/diagnostics.ts';
import { findSkillFolders } from './host-folder.ts';
import type { PreparedSkill } from './prepare-skill.ts';
import { prepareFolder } from './skill-source.ts';

/** What is at configured paths: skills, and what is wrong with others. */
export interface SeedSource {
  readonly skills: readonly PreparedSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Looks over all skills at paths on the host. The order is that of the paths, then of the folders' names. */
export async function openSeedSources(paths: readonly string[]): Promise<SeedSource> {
  return join(await Promise.all(paths.map((path) => alone(path, () => openPath(path)))));
}

async function openPath(path: string): Promise<SeedSource> {
  const { folders, root, diagnostics } = await findSkillFolders(path);
  const opened = folders.map((folder) =>
    alone(folder, async () => {
      const skill = await prepareFolder(folder, root);
      return { skills: [skill], diagnostics: skill.diagnostics };
    }),
  );
  return join([{ skills: [], diagnostics }, ...(await Promise.all(opened))]);
}

/** Looks at one thing, whose failure is that thing's alone. */
async function alone(path: string, open: () => Promise<SeedSource>): Promise<SeedSource> {
  try {
    return await open();
  } catch (error) {
    if (!WorkspaceError.isInstance(error)) throw error;
    return { skills: [], diagnostics: [seedFailure(path, error)] };
  }
}

/** Says that a configured skill was left out. */
export function seedFailure(path: string, error: Error): Diagnostic {
  return { kind: 'skill', path, reason: error.message, severity: 'error' };
}

function join(sources: readonly SeedSource[]): SeedSource {
  return {
    skills: sources.flatMap(({ skills }) => skills),
    diagnostics: sources.flatMap(({ diagnostics }) => diagnostics),
  };
}

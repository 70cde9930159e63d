import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { McpDeclaration, Workspace } from '@agent-workspace/core';

export interface WorkspaceConfig {
  readonly declarations: readonly McpDeclaration[];
  /** Absolute paths of folders, each a skill or full of skills. */
  readonly skillPaths: readonly string[];
}

/**
 * Brings what the command line names into a workspace that was there before; a brand-new one began
 * with it. A server is as its file says; a skill that is there stays, since agents improve them.
 */
export async function applyConfig(workspace: Workspace, { declarations, skillPaths }: WorkspaceConfig): Promise<void> {
  if (workspace.isNew) return;
  const known = new Map((await workspace.listMcps()).map(({ name, declaration }) => [name, declaration]));
  for (const declaration of declarations) {
    const existing = known.get(declaration.name);
    if (isDeepStrictEqual(plain(existing), plain(declaration))) continue;
    if (existing !== undefined) await workspace.removeMcp(declaration.name);
    await workspace.addMcp(declaration);
  }
  const folders = new Set((await workspace.listSkills()).map(({ directory }) => basename(directory)));
  for (const path of (await Promise.all(skillPaths.map(skillFolders))).flat()) {
    if (!folders.has(basename(path))) await workspace.addSkill({ path });
  }
}

/** Without what is not given, which a file does not keep. */
function plain(declaration: McpDeclaration | undefined): unknown {
  return declaration === undefined ? undefined : JSON.parse(JSON.stringify(declaration));
}

async function skillFolders(path: string): Promise<readonly string[]> {
  if (await isSkill(path)) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const folders = entries.filter((entry) => !entry.name.startsWith('.')).map(({ name }) => join(path, name));
  const areSkills = await Promise.all(folders.map(isSkill));
  return folders.filter((_, index) => areSkills[index] === true);
}

async function isSkill(folder: string): Promise<boolean> {
  return await stat(join(folder, 'SKILL.md')).then(
    (found) => found.isFile(),
    () => false,
  );
}

import type { DirectoryEntry } from '../backend/files.ts';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { NotADirectoryError } from '../errors/not-a-directory-error.ts';
import { PathOutsideRootError } from '../errors/path-outside-root-error.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/**
 * What is in a directory of the workspace; nothing if it is not there. Something else that an agent
 * put in its place counts as nothing, too, and is in the diagnostics.
 */
export async function listDirectory(
  { backend, diagnostics }: Pick<WorkspaceContext, 'backend' | 'diagnostics'>,
  path: string,
): Promise<readonly DirectoryEntry[]> {
  try {
    return await backend.readDirectory(path);
  } catch (error) {
    if (FileNotFoundError.isInstance(error)) return [];
    if (!NotADirectoryError.isInstance(error) && !PathOutsideRootError.isInstance(error)) throw error;
    diagnostics.add({ kind: 'state', path, reason: error.message, severity: 'error' });
    return [];
  }
}

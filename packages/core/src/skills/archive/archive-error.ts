import { ArchiveRejectedError } from '../../errors/archive-rejected-error.ts';
import { WorkspaceError } from '../../errors/workspace-error.ts';
import { errnoOf } from '../host-io.ts';

/** What zlib and the archive readers throw is damage; our own errors, and the host's, stay what they are. */
export function toArchiveError(error: unknown, entry?: string): unknown {
  if (WorkspaceError.isInstance(error) || errnoOf(error) !== undefined) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ArchiveRejectedError({ entry, reason: `it is damaged (${message})` }, { cause: error });
}

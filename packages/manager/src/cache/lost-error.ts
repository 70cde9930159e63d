import { WorkspaceLostError } from '@agent-workspace/core';

/** An id whose data are gone stays with them, until somebody decides otherwise. */
export function lostError(workspaceId: string): WorkspaceLostError {
  const reason =
    'what it ran in is gone, and its files were nowhere else; the manager gives nothing under its id until destroy() is called with it';
  return new WorkspaceLostError({ workspaceId, reason });
}

import { posix } from 'node:path';
import { encodeId, isSafeVerbatimName } from '../state/encode-id.ts';
import { listDirectory } from '../state/list-directory.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';

/**
 * The directory of a session. One that AgentScope made under the id as it is, is taken over where
 * that is safe.
 */
export async function sessionDirectory(context: WorkspaceContext, sessionId: string): Promise<string> {
  const { layout } = context;
  const name = encodeId(sessionId);
  if (name !== sessionId && isSafeVerbatimName(sessionId)) {
    // Exact names, since a file system that ignores case would find another session's directory.
    const names = await listDirectory(context, layout.sessionsDirectory);
    const has = (wanted: string): boolean => names.some((entry) => entry.kind === 'directory' && entry.name === wanted);
    if (has(sessionId) && !has(name)) return posix.join(layout.sessionsDirectory, sessionId);
  }
  return posix.join(layout.sessionsDirectory, name);
}

import { posix } from 'node:path';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { encodeId, isSafeVerbatimName } from '../state/encode-id.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';

/**
 * The directory of a session. One that AgentScope made under the id as it is, is taken over where
 * that is safe.
 */
export async function sessionDirectory(context: WorkspaceContext, sessionId: string): Promise<string> {
  const { backend, layout } = context;
  const name = encodeId(sessionId);
  if (name !== sessionId && isSafeVerbatimName(sessionId)) {
    // Exact names, since a file system that ignores case would find another session's directory.
    const names = await backend.readDirectory(layout.sessionsDirectory).catch((error: unknown) => {
      if (FileNotFoundError.isInstance(error)) return [];
      throw error;
    });
    const has = (wanted: string): boolean => names.some((entry) => entry.kind === 'directory' && entry.name === wanted);
    if (has(sessionId) && !has(name)) return posix.join(layout.sessionsDirectory, sessionId);
  }
  return posix.join(layout.sessionsDirectory, name);
}

import { IdInvalidError, type WorkspaceKey } from '@agent-workspace/core';

/** @throws `id-invalid` */
export function checkKey({ userId, agentId, sessionId, workspaceId }: WorkspaceKey): void {
  for (const [name, id] of Object.entries({ userId, agentId, sessionId })) checkId(id, name);
  if (workspaceId !== undefined) checkId(workspaceId, 'workspaceId');
}

/** @throws `id-invalid` */
export function checkId(id: string, name: string): void {
  // Callers in plain JavaScript are not held to the type.
  if (typeof id !== 'string') throw new IdInvalidError({ id: String(id), reason: `${name} has to be a string` });
  if (id === '') throw new IdInvalidError({ id, reason: `${name} is empty` });
  if (!id.isWellFormed()) throw new IdInvalidError({ id, reason: `${name} has half a surrogate pair` });
}

import { LocalWorkspaceManager } from '@agent-workspace/manager/local';
import { makeFixtureSkill, TemporaryDirectory } from '@agent-workspace/testing';
import { expect, it } from 'vitest';

it('a manager gives a later request the workspace that it made for an earlier one', async () => {
  await using directory = await TemporaryDirectory.create();
  await using skill = await makeFixtureSkill({ name: 'coding' });
  await using manager = await LocalWorkspaceManager.open({
    basedir: directory.at('workspaces'),
    skillPaths: [skill.path],
    ttlMs: 3_600_000,
  });
  const key = { userId: 'user-1', agentId: 'agent-42', sessionId: 'session-abc' };

  const made = await manager.createWorkspace(key);
  await made.backend.writeFile('notes.txt', 'kept');

  // Later requests use the same one again: by its id, or by what they are about.
  const again = await manager.getWorkspace({ ...key, workspaceId: made.workspaceId });
  expect(again).toBe(made);
  const own = await manager.getWorkspace(key);
  expect(await manager.getWorkspace({ ...key, sessionId: 'session-def' })).toBe(own);
  expect((await again.session({ agentId: key.agentId }).listSkills()).map(({ name }) => name)).toEqual(['coding']);

  // Closed, it is opened again with all that was in it.
  await manager.close(made.workspaceId);
  const reopened = await manager.getWorkspace({ ...key, workspaceId: made.workspaceId });
  expect(reopened).not.toBe(made);
  expect(new TextDecoder().decode((await reopened.backend.readFile('notes.txt')).bytes)).toBe('kept');

  // An id selects, and authorises nobody.
  const stranger = manager.getWorkspace({ ...key, userId: 'user-2', workspaceId: made.workspaceId });
  await expect(stranger).rejects.toMatchObject({ code: 'workspace-forbidden' });
});

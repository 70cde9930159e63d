import { describe, expect, it } from 'vitest';
import { getFile, keyOf, type ManagerContractOptions, putFile, useManagers } from './contract-manager.ts';

/** Which workspace a key gets. */
export function allottingContract(options: ManagerContractOptions): void {
  describe('allotting', () => {
    const managers = useManagers(options);

    it('manager:same-object: gives a key the same object each time', async () => {
      const manager = await managers.open();
      const workspace = await manager.getWorkspace(keyOf('u'));
      expect(workspace.status).toBe('ready');
      expect(await manager.getWorkspace(keyOf('u'))).toBe(workspace);
      expect(await manager.getWorkspace({ ...keyOf('u'), workspaceId: undefined })).toBe(workspace);
    });

    it("manager:per-agent: is shared by the sessions of a user's agent, unless told otherwise", async () => {
      const manager = await managers.open();
      const workspace = await manager.getWorkspace(keyOf('u', 'a', 's1'));
      expect(await manager.getWorkspace(keyOf('u', 'a', 's2'))).toBe(workspace);
      expect(await manager.getWorkspace(keyOf('u', 'b', 's1'))).not.toBe(workspace);
      expect(await manager.getWorkspace(keyOf('v', 'a', 's1'))).not.toBe(workspace);
    });

    it('manager:per-user: is shared by all agents of a user', async () => {
      const manager = await managers.open({ isolation: 'per-user' });
      const workspace = await manager.getWorkspace(keyOf('u', 'a', 's1'));
      expect(await manager.getWorkspace(keyOf('u', 'b', 's2'))).toBe(workspace);
      expect(await manager.getWorkspace(keyOf('v', 'a', 's1'))).not.toBe(workspace);
    });

    it('manager:per-session: is a new one for each session, and remembered for it', async () => {
      const manager = await managers.open({ isolation: 'per-session' });
      const [one, two] = await Promise.all([
        manager.getWorkspace(keyOf('u', 'a', 's1')),
        manager.getWorkspace(keyOf('u', 'a', 's2')),
      ]);
      expect(one.workspaceId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect(two.workspaceId).not.toBe(one.workspaceId);
      expect(await manager.getWorkspace(keyOf('u', 'a', 's1'))).toBe(one);
      await manager.close(one.workspaceId);
      expect((await manager.getWorkspace(keyOf('u', 'a', 's1'))).workspaceId).toBe(one.workspaceId);
      expect((await manager.getWorkspace(keyOf('v', 'a', 's1'))).workspaceId).not.toBe(one.workspaceId);
    });

    it('manager:session-once: two first requests of a session get one workspace', async () => {
      const manager = await managers.open({ isolation: 'per-session' });
      const all = await Promise.all(Array.from({ length: 20 }, () => manager.getWorkspace(keyOf('u', 'a', 's'))));
      expect(new Set(all).size).toBe(1);
    });

    it.each([
      ['per-agent', '975afc44b38938ab9f1c00b620db5e34'],
      ['per-user', '6d3f5b6befa50fd9859bbc3534689395'],
    ] as const)('manager:derived-id: derives the id from the key alone, %s', async (isolation, workspaceId) => {
      const manager = await managers.open({ isolation });
      expect(await manager.assignWorkspaceId(keyOf('user-1', 'agent-42', 's'))).toBe(workspaceId);
    });

    it('manager:tenants-apart: keys whose ids join alike share nothing', async () => {
      const manager = await managers.open();
      const keys = [
        keyOf('a', 'b::c'),
        keyOf('a::b', 'c'),
        keyOf('a","b', 'c'),
        keyOf('a', 'b","c'),
        keyOf('A', 'b::c'),
        keyOf('a/b', 'c'),
        keyOf('a', 'b/c'),
      ];
      const workspaces = await Promise.all(keys.map((key) => manager.getWorkspace(key)));
      expect(new Set(workspaces.map(({ workspaceId }) => workspaceId)).size).toBe(keys.length);
      for (const [index, workspace] of workspaces.entries()) await putFile(workspace, 'owner.txt', String(index));
      for (const [index, workspace] of workspaces.entries()) {
        expect(await getFile(workspace, 'owner.txt')).toBe(String(index));
      }
    });

    it.each(['../x', '..', '/etc', 'a\0b', 'C:\\x', 'con', 'é'.repeat(200)])(
      'manager:hostile-ids: takes %j for an id like any other [A06]',
      async (id) => {
        const manager = await managers.open({ trustWorkspaceIds: true });
        const plain = await manager.getWorkspace(keyOf('u'));
        const odd = await manager.getWorkspace(keyOf(id, id, id));
        const named = await manager.getWorkspace({ ...keyOf('u', id), workspaceId: id });
        await putFile(odd, 'mine.txt', 'odd');
        await putFile(named, 'mine.txt', 'named');
        expect(await getFile(plain, 'mine.txt')).toBeUndefined();
        expect(await getFile(odd, 'mine.txt')).toBe('odd');
        expect(named.workspaceId).toBe(id);
      },
    );

    it.each([
      ['userId', ''],
      ['agentId', ''],
      ['sessionId', ''],
      ['workspaceId', ''],
      ['userId', '\ud800'],
      ['workspaceId', '\udfff'],
    ])('manager:id-invalid: refuses the %s %j', async (name, id) => {
      const manager = await managers.open({ trustWorkspaceIds: true });
      const refused = { code: 'id-invalid', details: { id } };
      await expect(manager.getWorkspace({ ...keyOf('u'), [name]: id })).rejects.toMatchObject(refused);
    });

    it('manager:policy: a policy of its own decides, and nothing else changes', async () => {
      const manager = await managers.open({
        policy: (key, inherited) => (key.agentId.startsWith('team-') ? 'the-team' : inherited(key)),
      });
      const workspace = await manager.getWorkspace(keyOf('u', 'team-a'));
      expect(workspace.workspaceId).toBe('the-team');
      expect(await manager.getWorkspace(keyOf('u', 'team-b'))).toBe(workspace);
      expect(await manager.getWorkspace({ ...keyOf('u', 'team-c'), workspaceId: 'the-team' })).toBe(workspace);
      expect(await manager.getWorkspace(keyOf('u', 'a'))).not.toBe(workspace);
      const forbidden = { code: 'workspace-forbidden', details: { reason: 'owned-by-another' } };
      const stranger = { ...keyOf('v', 'a'), workspaceId: 'the-team' };
      await expect(manager.getWorkspace(stranger)).rejects.toMatchObject(forbidden);
    });

    it('manager:policy-fails: tells what a policy throws, and refuses what is no id', async () => {
      const manager = await managers.open({
        policy: async ({ agentId }) => {
          if (agentId === 'broken') throw new Error('no directory of teams');
          return '';
        },
      });
      await expect(manager.getWorkspace(keyOf('u', 'broken'))).rejects.toThrow('no directory of teams');
      await expect(manager.getWorkspace(keyOf('u', 'empty'))).rejects.toMatchObject({ code: 'id-invalid' });
    });

    it('manager:create-new: createWorkspace() always makes a new one, which is its user’s', async () => {
      const manager = await managers.open();
      const kept = await manager.getWorkspace(keyOf('u'));
      const [one, two] = await Promise.all([manager.createWorkspace(keyOf('u')), manager.createWorkspace(keyOf('u'))]);
      expect(new Set([kept, one, two]).size).toBe(3);
      expect(await manager.getWorkspace({ ...keyOf('u'), workspaceId: one.workspaceId })).toBe(one);
      expect(await manager.getWorkspace(keyOf('u'))).toBe(kept);
      const stranger = { ...keyOf('v'), workspaceId: one.workspaceId };
      await expect(manager.getWorkspace(stranger)).rejects.toMatchObject({ code: 'workspace-forbidden' });
    });
  });
}

import { describe, expect, it } from 'vitest';
import { fixtureServer as hostFixtureServer } from '../mcp-servers/fixture-server.ts';
import { makeFixtureSkill } from '../skills/fixture-skill.ts';
import { userMessage } from './contract-messages.ts';
import { readText, useWorkspaces, type WorkspaceContractOptions } from './contract-workspace.ts';

/** Agents and sessions as namespaces of one workspace. */
export function scopeContract(options: WorkspaceContractOptions): void {
  describe('scope', () => {
    const workspaces = useWorkspaces(options);
    const { fixtureServer = hostFixtureServer } = options;
    const server = (name: string): { name: string; command: string; args: string[] } => ({
      name,
      ...fixtureServer('echo'),
    });

    it("scope:session-mismatch: a session refuses another's id [O24]", async () => {
      const workspace = await workspaces.open();
      const session = workspace.session({ agentId: 'a', sessionId: 's1' });
      await session.offloadContext('s1', [userMessage('m-1', 'one')]);
      await expect(session.offloadContext('s2', [])).rejects.toMatchObject({ code: 'session-mismatch' });
      await expect(session.readContext('s2')).rejects.toMatchObject({
        code: 'session-mismatch',
        details: { boundSessionId: 's1', givenSessionId: 's2' },
      });
      await workspace.session({ agentId: 'a' }).offloadContext('s2', [userMessage('m-2', 'two')]);
    });

    it('scope:mcp-lookup: looks servers up for the session, then the agent, then the workspace', async () => {
      const workspace = await workspaces.open({ defaultMcps: [server('base')] });
      const names = async (agentId?: string, sessionId?: string): Promise<string[]> =>
        (await workspace.session({ agentId, sessionId }).listMcps()).map((client) => client.name);

      expect(await names('a', 's')).toEqual(['base']);
      await workspace.session({ agentId: 'a' }).addMcp(server('of-agent'));
      expect(await names('a', 's')).toEqual(['base', 'of-agent']);
      expect(await names('b', 's')).toEqual(['base']);
      await workspace.session({ agentId: 'a', sessionId: 's' }).addMcp(server('of-session'));
      expect(await names('a', 's')).toEqual(['base', 'of-agent', 'of-session']);
      expect(await names('a', 't')).toEqual(['base', 'of-agent']);
      expect(await names()).toEqual(['base']);
    });

    it('scope:mcp-copy: a first change copies what it inherits, and lives apart from then on', async () => {
      const workspace = await workspaces.open({ defaultMcps: [server('one'), server('two')] });
      const session = workspace.session({ agentId: 'a', sessionId: 's' });
      await session.removeMcp('one');
      await workspace.addMcp(server('three'));
      expect((await session.listMcps()).map((client) => client.name)).toEqual(['two']);
      await session.removeMcp('two');
      expect(await session.listMcps()).toEqual([]);
      expect((await workspace.listMcps()).map((client) => client.name)).toEqual(['one', 'two', 'three']);
    });

    it('scope:mcp-file: writes an array while nothing is scoped, and version 2 from then on', async () => {
      const workspace = await workspaces.open({ defaultMcps: [server('base')] });
      const file = `${workspace.workdir}/.mcp`;
      expect(JSON.parse(await readText(workspace, file))).toMatchObject([{ name: 'base', is_stateful: true }]);
      const session = workspace.session({ agentId: 'a', sessionId: 's' });
      await session.addMcp(server('own'));
      const scoped = {
        version: 2,
        mcps: { '': { '': [{ name: 'base' }] }, a: { s: [{ name: 'base' }, { name: 'own' }] } },
      };
      expect(JSON.parse(await readText(workspace, file))).toMatchObject(scoped);
      await workspace.purgeAgent('a');
      expect(JSON.parse(await readText(workspace, file))).toEqual({
        version: 2,
        mcps: { '': { '': [expect.objectContaining({ name: 'base' })] } },
      });
    });

    it('scope:mcp-prototype: an agent named __proto__ is an agent like any other', async () => {
      const workspace = await workspaces.open();
      const odd = workspace.session({ agentId: '__proto__', sessionId: 'constructor' });
      await odd.addMcp(server('own'));
      expect((await odd.listMcps()).map((client) => client.name)).toEqual(['own']);
      expect(await workspace.session({ agentId: 'b', sessionId: 'constructor' }).listMcps()).toEqual([]);
      expect(await workspace.listMcps()).toEqual([]);
    });

    it("scope:skills-apart: one agent's skills are not another's [S28]", async () => {
      await using shared = await makeFixtureSkill({ name: 'shared' });
      await using own = await makeFixtureSkill({ name: 'own' });
      const workspace = await workspaces.open({ skillPaths: [shared.path] });
      const [a, b] = [workspace.session({ agentId: 'a' }), workspace.session({ agentId: 'b' })];
      await a.addSkill({ path: own.path });
      await a.removeSkill('shared');
      expect((await a.listSkills()).map(({ name }) => name)).toEqual(['own']);
      expect((await b.listSkills()).map(({ name }) => name)).toEqual(['shared']);
      await workspace.purgeAgent('a');
      expect((await a.listSkills()).map(({ name }) => name)).toEqual(['shared']);
    });

    it('scope:same-session: gives the same tools each time', async () => {
      const workspace = await workspaces.open();
      const tools = await workspace.session({ agentId: 'a', sessionId: 's' }).listTools();
      expect(await workspace.session({ agentId: 'a', sessionId: 's' }).listTools()).toBe(tools);
      expect(await workspace.session({ agentId: 'a', sessionId: 't' }).listTools()).not.toBe(tools);
    });
  });
}

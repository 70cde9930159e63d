import { WorkspaceClosedError, WorkspaceNotInitializedError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { fixtureServer as hostFixtureServer } from '../mcp-servers/fixture-server.ts';
import { makeFixtureSkill } from '../skills/fixture-skill.ts';
import { userMessage } from './contract-messages.ts';
import { namesIn, readText, useWorkspaces, type WorkspaceContractOptions } from './contract-workspace.ts';

/** Initialize, close, restart, reset, destroy. */
export function lifeContract(options: WorkspaceContractOptions): void {
  describe('life', () => {
    const workspaces = useWorkspaces(options);
    const { fixtureServer = hostFixtureServer } = options;

    it('life:nothing-implicit: refuses every method before initialize()', async () => {
      const workspace = await workspaces.create();
      expect(workspace.status).toBe('new');
      await expect(workspace.listTools()).rejects.toThrow(WorkspaceNotInitializedError);
      await expect(workspace.offloadContext('s', [])).rejects.toMatchObject({ code: 'workspace-not-initialized' });
      await expect(workspace.session({ agentId: 'a' }).listSkills()).rejects.toMatchObject({
        code: 'workspace-not-initialized',
      });
    });

    it('life:single-flight: joins calls of initialize() that come together, and repeats nothing', async () => {
      const workspace = await workspaces.create();
      await Promise.all([workspace.initialize(), workspace.initialize(), workspace.initialize()]);
      const seededAt = await readText(workspace, `${workspace.workdir}/.workspace/state.json`);
      await workspace.initialize();
      expect(await readText(workspace, `${workspace.workdir}/.workspace/state.json`)).toBe(seededAt);
      expect(workspace.status).toBe('ready');
      expect(workspace.isAlive).toBe(true);
    });

    it('life:closed: refuses every method after close(), which may be repeated', async () => {
      const workspace = await workspaces.open();
      const session = workspace.session({ sessionId: 's' });
      await Promise.all([workspace.close(), workspace.close()]);
      await workspace.close();
      expect(workspace.status).toBe('closed');
      expect(workspace.isAlive).toBe(false);
      await expect(workspace.listMcps()).rejects.toThrow(WorkspaceClosedError);
      await expect(session.listTools()).rejects.toMatchObject({ code: 'workspace-closed' });
      await expect(workspace.initialize()).rejects.toMatchObject({ code: 'workspace-closed' });
    });

    it('life:close-unopened: closes what was never opened', async () => {
      const workspace = await workspaces.create();
      await workspace.close();
      await expect(workspace.initialize()).rejects.toMatchObject({ code: 'workspace-closed' });
    });

    it('life:close-during-initialize: ends an initialize() that is under way', async () => {
      const workspace = await workspaces.create();
      const [initialized] = await Promise.allSettled([workspace.initialize(), workspace.close()]);
      expect(initialized).toMatchObject({ status: 'rejected', reason: { code: 'workspace-closed' } });
      expect(workspace.status).toBe('closed');
    });

    it('life:abort: gives up an initialize() whose signal is aborted, and may be tried again', async () => {
      const workspace = await workspaces.create();
      await expect(workspace.initialize({ signal: AbortSignal.abort(new Error('no time')) })).rejects.toThrow(
        'no time',
      );
      expect(workspace.status).toBe('new');
      await workspace.initialize();
      expect(workspace.status).toBe('ready');
    });

    it('life:dispose: closes at the end of its scope', async () => {
      const workspace = await workspaces.create();
      {
        await using scoped = workspace;
        await scoped.initialize();
      }
      expect(workspace.status).toBe('closed');
    });

    it('life:state-file: marks a seeded workspace with its format and id', async () => {
      const workspace = await workspaces.open({ workspaceId: 'ws-1' });
      expect(workspace.workspaceId).toBe('ws-1');
      const state: unknown = JSON.parse(await readText(workspace, `${workspace.workdir}/.workspace/state.json`));
      expect(state).toEqual({ format: 1, workspaceId: 'ws-1', seededAt: expect.any(String) });
      expect(await namesIn(workspace, `${workspace.workdir}/.workspace`)).not.toContain('seeding.json');
    });

    it('life:restart: finds everything again that was declared and stored', async () => {
      const place = workspaces.place();
      await using skill = await makeFixtureSkill({ name: 'notes' });
      const first = await workspaces.open({ workspaceId: 'ws-restart' }, place);
      await first.addMcp({ name: 'echo', ...fixtureServer('echo') });
      await first.addSkill({ path: skill.path });
      await first.offloadContext('s', [userMessage('m-1', 'hello')]);
      await first.close();

      const second = await workspaces.open({ workspaceId: 'ws-restart' }, place);
      expect((await second.listMcps()).map((client) => client.name)).toEqual(['echo']);
      expect((await second.listSkills()).map(({ name }) => name)).toEqual(['notes']);
      expect(await second.readContext('s')).toMatchObject([{ id: 'm-1', content: [{ text: 'hello' }] }]);
    });

    it('life:seed-once: seeds a brand-new workspace alone; later what is on disk wins', async () => {
      const place = workspaces.place();
      await using skill = await makeFixtureSkill({ name: 'seeded' });
      const seeds = {
        workspaceId: 'ws-seed',
        defaultMcps: [{ name: 'seed', ...fixtureServer('echo') }],
        skillPaths: [skill.path],
      };
      const first = await workspaces.open(seeds, place);
      expect((await first.listMcps()).map((client) => client.name)).toEqual(['seed']);
      expect((await first.listSkills()).map(({ name }) => name)).toEqual(['seeded']);
      await first.removeMcp('seed');
      await first.removeSkill('seeded');
      await first.close();

      const second = await workspaces.open(seeds, place);
      expect(await second.listMcps()).toEqual([]);
      expect(await second.listSkills()).toEqual([]);
    });

    it('life:seed-resumed: goes on with a seeding that was cut short', async () => {
      const place = workspaces.place();
      await using skill = await makeFixtureSkill({ name: 'seeded' });
      const seeds = {
        workspaceId: 'ws-half',
        defaultMcps: [{ name: 'seed', ...fixtureServer('echo') }],
        skillPaths: [skill.path],
      };
      const first = await workspaces.open(seeds, place);
      const { workdir, backend } = first;
      // As a crash between the servers and the skills leaves it.
      await backend.remove(`${workdir}/.workspace/state.json`);
      await backend.writeFile(`${workdir}/.workspace/seeding.json`, '{"format":1,"workspaceId":"ws-half"}\n');
      await backend.remove(`${workdir}/skills`, { recursive: true });
      await first.close();

      const second = await workspaces.open(seeds, place);
      expect((await second.listMcps()).map((client) => client.name)).toEqual(['seed']);
      expect((await second.listSkills()).map(({ name }) => name)).toEqual(['seeded']);
    });

    it('life:bad-seed: a bad seed is in the diagnostics and takes no other down', async () => {
      await using skill = await makeFixtureSkill({ name: 'good' });
      const missing = `${skill.path}-is-not-there`;
      const workspace = await workspaces.open({ skillPaths: [missing, skill.path] });
      expect((await workspace.listSkills()).map(({ name }) => name)).toEqual(['good']);
      expect(workspace.diagnostics).toContainEqual(
        expect.objectContaining({ kind: 'skill', path: missing, reason: expect.stringMatching(/./) }),
      );
    });

    it('life:reset: leaves nothing of one tenant for the next', async () => {
      await using skill = await makeFixtureSkill({ name: 'mine' });
      const place = workspaces.place();
      const seeds = { workspaceId: 'ws-reset', defaultMcps: [{ name: 'seed', ...fixtureServer('echo') }] };
      const workspace = await workspaces.open(seeds, place);
      const { workdir, backend } = workspace;
      await workspace.session({ agentId: 'a' }).addSkill({ path: skill.path });
      await workspace.addSkill({ path: skill.path });
      await workspace.session({ agentId: 'a', sessionId: 's' }).addMcp({ name: 'own', ...fixtureServer('echo') });
      await workspace.offloadContext('s', [userMessage('m-1', 'secret')]);
      await workspace.offloadDataBlock({
        type: 'data',
        id: 'b-1',
        source: { type: 'base64', data: 'aGVsbG8=', media_type: 'text/plain' },
      });
      await backend.writeFile(`${workdir}/project/main.txt`, 'kept');

      await workspace.reset();
      expect(await readText(workspace, `${workdir}/.mcp`)).toBe('[]');
      expect(await workspace.listMcps()).toEqual([]);
      expect(await workspace.session({ agentId: 'a', sessionId: 's' }).listMcps()).toEqual([]);
      expect(await workspace.listSkills()).toEqual([]);
      expect(await workspace.session({ agentId: 'a' }).listSkills()).toEqual([]);
      expect(await workspace.readContext('s')).toEqual([]);
      expect(await namesIn(workspace, `${workdir}/data`)).toEqual([]);
      expect(await readText(workspace, `${workdir}/project/main.txt`)).toBe('kept');

      await workspace.reset({ files: true });
      expect(await namesIn(workspace, `${workdir}/project`)).toEqual([]);
      await workspace.close();
      const again = await workspaces.open(seeds, place);
      expect(await again.listMcps()).toEqual([]);
    });

    it('life:reset-hostile: empties what an agent has made of the files that the workspace keeps', async () => {
      const workspace = await workspaces.open();
      const { workdir, backend } = workspace;
      await backend.writeFile(`${workdir}/mine/keep.txt`, 'kept');
      await backend.exec(
        [
          'sh',
          '-c',
          'ln -s mine/keep.txt .mcp; ln -s mine sessions; ln -s mine data; rm -rf skills; ln -s mine skills',
        ],
        {
          cwd: workdir,
        },
      );
      await workspace.reset();
      expect(await readText(workspace, `${workdir}/.mcp`)).toBe('[]');
      expect(await namesIn(workspace, workdir)).toEqual(['.mcp', '.workspace', 'mine', 'skills']);
      expect(await namesIn(workspace, `${workdir}/skills`)).toEqual([]);
      expect(await readText(workspace, `${workdir}/mine/keep.txt`)).toBe('kept');
    });

    it('life:reset-ends-processes: ends what the tenant before left running', async () => {
      const workspace = await workspaces.open();
      const tools = await workspace.session({ sessionId: 's' }).listTools();
      expect(tools.map((tool) => tool.name)).toEqual(['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep']);
      const process = await workspace.backend.startBackground(['sleep', '300']);
      await workspace.reset();
      expect((await process.state()).kind).not.toBe('running');
      expect(workspace.isInUse).toBe(false);
    });

    it('life:usage: a hold keeps it in use, and every use is remembered', async () => {
      const workspace = await workspaces.open();
      expect(workspace.isInUse).toBe(false);
      const hold = workspace.hold();
      expect(workspace.isInUse).toBe(true);
      hold[Symbol.dispose]();
      hold[Symbol.dispose]();
      expect(workspace.isInUse).toBe(false);
      const listing = workspace.session({ agentId: 'a' }).listSkills();
      expect(workspace.isInUse).toBe(true);
      await listing;
      expect(workspace.isInUse).toBe(false);
      const before = workspace.lastUsedAt;
      await expect.poll(() => Date.now()).toBeGreaterThan(before);
      await workspace.listTools();
      expect(workspace.lastUsedAt).toBeGreaterThan(before);
    });

    it('life:close-ends-background: records background commands as closed', async () => {
      const place = workspaces.place();
      const workspace = await workspaces.open({ workspaceId: 'ws-bg' }, place);
      const bash = (await workspace.session({ sessionId: 's' }).listTools()).find(({ name }) => name === 'Bash');
      const chunks = await Array.fromAsync(
        bash?.call({ command: 'echo up; sleep 300', run_in_background: true }) ?? [],
      );
      expect(chunks.at(-1)?.state).toBe('success');
      expect(workspace.isInUse).toBe(true);
      await workspace.close();

      const again = await workspaces.open({ workspaceId: 'ws-bg' }, place);
      if (!again.isPersistent) return;
      const records = `${again.workdir}/sessions/s/processes`;
      const [process] = await again.backend.listBackground({ recordDirectories: [records] });
      expect(await process?.state()).toEqual({ kind: 'closed' });
      expect(again.isInUse).toBe(false);
    });

    it("life:two-objects: closing one leaves the other's background commands and servers running", async () => {
      const place = workspaces.place();
      const shared = { workspaceId: 'ws-shared', defaultMcps: [{ name: 'echo', ...fixtureServer('echo') }] };
      const [first, second] = [await workspaces.open(shared, place), await workspaces.open(shared, place)];
      const bash = (await second.listTools()).find(({ name }) => name === 'Bash');
      await Array.fromAsync(bash?.call({ command: 'sleep 300', run_in_background: true }) ?? []);
      const [client] = await second.listMcps();
      await client?.connect();
      await first.close();
      const [process] = await second.backend.listBackground();
      expect(await process?.state()).toEqual({ kind: 'running' });
      expect(client?.state.kind).toBe('connected');
      await second.close();
      const third = await workspaces.open(shared, place);
      if (!third.isPersistent) return;
      expect(await (await third.backend.listBackground())[0]?.state()).toEqual({ kind: 'closed' });
    });

    it('life:destroy: removes the data too', async () => {
      const place = workspaces.place();
      const workspace = await workspaces.open({ workspaceId: 'ws-destroy' }, place);
      await workspace.offloadContext('s', [userMessage('m-1', 'gone')]);
      await workspace.destroy();
      expect(workspace.status).toBe('closed');
      const again = await workspaces.open({ workspaceId: 'ws-destroy' }, place);
      expect(await again.readContext('s')).toEqual([]);
    });

    it('life:instructions: tells the agent where it is, in its own paths', async () => {
      const workspace = await workspaces.open();
      const instructions = await workspace.getInstructions();
      expect(instructions).toMatch(/^<workspace /);
      expect(instructions).toMatch(/<\/workspace>$/);
      expect(instructions).toContain(workspace.workdir);
      expect(instructions.match(/<workspace /g)).toHaveLength(1);
    });
  });
}

import { isMCPClient, type MCPClient, type McpDeclarationInput, type Workspace } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { fixtureServer as hostFixtureServer } from '../mcp-servers/fixture-server.ts';
import { readText, useWorkspaces, type WorkspaceContractOptions } from './contract-workspace.ts';

async function call(client: MCPClient | undefined, tool: string, input: Record<string, unknown> = {}): Promise<string> {
  const result = await client?.callTool(tool, input);
  return result?.content.map((content) => content['text']).join('') ?? 'no client';
}

async function isRunning(workspace: Workspace, pid: number | undefined): Promise<boolean> {
  const result = await workspace.backend.exec(['sh', '-c', `kill -0 ${pid}`]);
  return result.end.kind === 'exited' && result.end.exitCode === 0;
}

function pidOf(client: MCPClient | undefined): number | undefined {
  return client?.state.kind === 'connected' ? client.state.pid : undefined;
}

/** Declaring MCP servers, and the clients to them. */
export function mcpContract(options: WorkspaceContractOptions): void {
  describe('mcp', () => {
    const workspaces = useWorkspaces(options);
    const { fixtureServer = hostFixtureServer } = options;
    const echo = (name: string): { name: string; command: string; args: string[] } => ({
      name,
      ...fixtureServer('echo'),
    });

    it('mcp:lazy: declares without starting, starts at the first call', async () => {
      const workspace = await workspaces.open();
      await workspace.addMcp(echo('echo'));
      const [client] = await workspace.listMcps();
      expect(isMCPClient(client)).toBe(true);
      expect(client?.state).toEqual({ kind: 'idle' });
      expect(await call(client, 'echo', { text: 'hello' })).toBe('hello');
      expect(client?.state).toEqual({ kind: 'connected', pid: expect.any(Number) });
      expect(await workspace.listMcps()).toEqual([client]);
    });

    it('mcp:tools: offers tools named for the model, which call through the client', async () => {
      const workspace = await workspaces.open({ defaultMcps: [echo('echo')] });
      const [client] = await workspace.listMcps();
      const tools = (await client?.listTools()) ?? [];
      const tool = tools.find(({ toolName }) => toolName === 'echo');
      expect(tool).toMatchObject({ name: 'mcp__echo__echo', serverName: 'echo' });
      const chunks = await Array.fromAsync(tool?.call({ text: 'hi' }) ?? []);
      expect(chunks.at(-1)).toMatchObject({ state: 'success', isLast: true, content: [{ text: 'hi' }] });
    });

    it('mcp:parallel-add: keeps all of 50 servers added at once', async () => {
      const workspace = await workspaces.open();
      const names = Array.from({ length: 50 }, (_, index) => `server-${index}`);
      await Promise.all(names.map((name) => workspace.addMcp({ name, command: 'true' })));
      const listed = (await workspace.listMcps()).map((client) => client.name);
      expect(listed.toSorted()).toEqual(names.toSorted());
    });

    it('mcp:same-again: the same declaration changes nothing, another under its name is refused [M41]', async () => {
      const workspace = await workspaces.open();
      await workspace.addMcp(echo('echo'));
      const before = await readText(workspace, `${workspace.workdir}/.mcp`);
      await workspace.addMcp(echo('echo'));
      expect(await readText(workspace, `${workspace.workdir}/.mcp`)).toBe(before);
      await expect(workspace.addMcp({ name: 'echo', command: 'other' })).rejects.toMatchObject({ code: 'mcp-exists' });
      expect(await workspace.listMcps()).toHaveLength(1);
    });

    it.each([
      ['a name with a space', { name: 'a b', command: 'x' }],
      ['no command', { name: 'a' }],
      ['a URL that is none', { name: 'a', url: 'nowhere' }],
      ['a file URL', { name: 'a', url: 'file:///etc/passwd' }],
      ['a field that is unknown', { name: 'a', command: 'x', arguments: [] }],
      ['a tool both enabled and disabled', { name: 'a', command: 'x', enableTools: ['t'], disableTools: ['t'] }],
    ])('mcp:invalid: refuses %s and writes nothing', async (_case, declaration) => {
      const workspace = await workspaces.open({ defaultMcps: [echo('seed')] });
      const before = await readText(workspace, `${workspace.workdir}/.mcp`);
      await expect(workspace.addMcp(declaration as McpDeclarationInput)).rejects.toMatchObject({
        code: 'mcp-declaration-invalid',
      });
      expect(await readText(workspace, `${workspace.workdir}/.mcp`)).toBe(before);
    });

    it('mcp:standard-json: takes the mcpServers JSON of MCP clients', async () => {
      const workspace = await workspaces.open();
      await workspace.addMcp({
        mcpServers: {
          files: { command: 'mcp-files', args: ['/workspace'], env: { A: '1' } },
          remote: { type: 'http', url: 'https://mcp.example.com/mcp', headers: { X: '1' } },
          events: { url: 'https://mcp.example.com/sse?x=1' },
          off: { command: 'x', disabled: true },
        },
      });
      expect((await workspace.listMcps()).map(({ declaration }) => [declaration.name, declaration.transport])).toEqual([
        ['files', 'stdio'],
        ['remote', 'http'],
        ['events', 'sse'],
      ]);
    });

    it('mcp:file-mode: keeps .mcp to its owner', async () => {
      const workspace = await workspaces.open();
      await workspace.addMcp(echo('echo'));
      const stat = await workspace.backend.stat(`${workspace.workdir}/.mcp`);
      expect(stat?.mode).toBe(0o600);
    });

    it('mcp:broken-file: says that .mcp does not parse, and never overwrites it [M34] [A01]', async () => {
      const workspace = await workspaces.open();
      const file = `${workspace.workdir}/.mcp`;
      await workspace.backend.writeFile(file, '{');
      expect(await workspace.listMcps()).toEqual([]);
      expect(workspace.diagnostics).toContainEqual(
        expect.objectContaining({
          kind: 'mcp',
          path: file,
          severity: 'error',
          reason: expect.stringContaining('JSON'),
        }),
      );
      await expect(workspace.addMcp(echo('echo'))).rejects.toMatchObject({ code: 'state-file-invalid' });
      await expect(workspace.removeMcp('echo')).rejects.toMatchObject({ code: 'state-file-invalid' });
      expect(await readText(workspace, file)).toBe('{');
      await workspace.backend.writeFile(file, '[]');
      await workspace.addMcp(echo('echo'));
      expect(workspace.diagnostics).toEqual([]);
    });

    it('mcp:hostile-file: takes no link, and nothing over 4 MiB, for .mcp', async () => {
      const workspace = await workspaces.open();
      const { workdir, backend } = workspace;
      await backend.writeFile(`${workdir}/elsewhere.json`, '[]');
      await backend.exec(['ln', '-s', 'elsewhere.json', '.mcp'], { cwd: workdir });
      await expect(workspace.addMcp(echo('echo'))).rejects.toMatchObject({ code: 'state-file-invalid' });
      expect(await readText(workspace, `${workdir}/elsewhere.json`)).toBe('[]');
      await backend.remove(`${workdir}/.mcp`);
      await backend.writeFile(`${workdir}/.mcp`, `[${' '.repeat(5 * 1024 * 1024)}]`);
      expect(await workspace.listMcps()).toEqual([]);
      expect(workspace.diagnostics).toContainEqual(
        expect.objectContaining({ reason: expect.stringContaining('larger') }),
      );
    });

    it('mcp:unknown-kept: keeps entries and fields that it does not know, equal as JSON [A02]', async () => {
      const workspace = await workspaces.open();
      const file = `${workspace.workdir}/.mcp`;
      const entries = [
        { name: 'odd', mcp_config: { type: 'carrier_pigeon' }, future: [1, { a: null }] },
        'not even an object',
        {
          name: 'known',
          is_stateful: true,
          mcp_config: { type: 'stdio_mcp', command: 'x', args: null, env: null, cwd: null, extra: 'kept' },
          stream_progress: true,
        },
      ];
      const text = JSON.stringify(entries).replace('"future":[1,', '"future":[12345678901234567890,');
      await workspace.backend.writeFile(file, text);
      await workspace.addMcp(echo('echo'));
      const after = await readText(workspace, file);
      expect(after).toContain('12345678901234567890');
      expect((JSON.parse(after) as unknown[]).slice(0, 3)).toEqual(JSON.parse(text));
      expect((await workspace.listMcps()).map((client) => client.name)).toEqual(['known', 'echo']);
      expect(workspace.diagnostics.filter(({ kind }) => kind === 'mcp').map(({ path }) => path)).toEqual([
        `${file}/odd`,
        `${file}/1`,
      ]);
    });

    it('mcp:edited-by-hand: a change of the file counts at the next listing', async () => {
      const workspace = await workspaces.open({ defaultMcps: [echo('echo')] });
      const file = `${workspace.workdir}/.mcp`;
      const [client] = await workspace.listMcps();
      await call(client, 'echo', { text: 'x' });
      const pid = pidOf(client);
      const entries = JSON.parse(await readText(workspace, file)) as Record<string, unknown>[];
      await workspace.backend.writeFile(file, JSON.stringify([{ ...entries[0], execution_timeout: 7 }]));
      const [changed] = await workspace.listMcps();
      expect(changed?.declaration.executionTimeoutMs).toBe(7_000);
      await expect.poll(() => isRunning(workspace, pid)).toBe(false);

      await call(changed, 'echo', { text: 'x' });
      const changedPid = pidOf(changed);
      await workspace.backend.writeFile(file, '[');
      expect(await workspace.listMcps()).toEqual([]);
      expect(await isRunning(workspace, changedPid)).toBe(true);
      await workspace.backend.writeFile(file, '[]');
      expect(await workspace.listMcps()).toEqual([]);
      expect(await isRunning(workspace, changedPid)).toBe(false);
    });

    it('mcp:remove-ends: removing a server ends its processes, and its clients say so [M22]', async () => {
      const workspace = await workspaces.open({ defaultMcps: [echo('echo')] });
      const session = workspace.session({ agentId: 'a', sessionId: 's' });
      const [client] = await session.listMcps();
      await call(client, 'echo', { text: 'x' });
      const pid = pidOf(client);
      expect(await isRunning(workspace, pid)).toBe(true);
      await workspace.removeMcp('echo');
      expect(await isRunning(workspace, pid)).toBe(false);
      await expect(client?.callTool('echo', {})).rejects.toMatchObject({ code: 'mcp-not-found' });
      await expect(workspace.removeMcp('echo')).rejects.toMatchObject({ code: 'mcp-not-found' });
    });

    it('mcp:close-ends: none of a server survives close()', async () => {
      const place = workspaces.place();
      const workspace = await workspaces.open({ workspaceId: 'ws-mcp', defaultMcps: [echo('echo')] }, place);
      const [client] = await workspace.listMcps();
      await call(client, 'echo', { text: 'x' });
      const pid = pidOf(client);
      await workspace.close();
      const again = await workspaces.open({ workspaceId: 'ws-mcp' }, place);
      expect(await isRunning(again, pid)).toBe(false);
      await expect(client?.callTool('echo', {})).rejects.toMatchObject({ code: 'mcp-client-closed' });
    });

    it('mcp:stateful-apart: each session has its own instance of a stateful server', async () => {
      const workspace = await workspaces.open({ defaultMcps: [echo('echo')] });
      const [one] = await workspace.session({ agentId: 'a', sessionId: '1' }).listMcps();
      const [two] = await workspace.session({ agentId: 'a', sessionId: '2' }).listMcps();
      expect(await call(one, 'counter')).toBe('1');
      expect(await call(one, 'counter')).toBe('2');
      expect(await call(two, 'counter')).toBe('1');
    });

    it('mcp:evict: ends the least recently used other session over the cap, which starts again when used', async () => {
      const evicted: string[] = [];
      const workspace = await workspaces.open({
        defaultMcps: [echo('echo')],
        maxLiveStatefulMcps: 2,
        onEvent: (event) => event.type === 'mcp-evicted' && evicted.push(event.scope.sessionId ?? ''),
      });
      const client = async (sessionId: string): Promise<MCPClient | undefined> =>
        (await workspace.session({ agentId: 'a', sessionId }).listMcps())[0];
      const [one, two, three] = [await client('1'), await client('2'), await client('3')];
      await call(one, 'counter');
      await call(two, 'counter');
      await call(one, 'counter');
      await call(three, 'counter');
      expect(evicted).toEqual(['2']);
      expect(two?.state).toEqual({ kind: 'idle' });
      expect(await call(one, 'counter')).toBe('3');
      expect(await call(two, 'counter')).toBe('1');
    });

    it('mcp:one-slow: a slow server keeps no other session or server waiting [A15]', async () => {
      const workspace = await workspaces.open();
      const slow = workspace.session({ agentId: 'a', sessionId: 'slow' });
      await slow.addMcp({ name: 'silent', ...fixtureServer('silent') });
      const connecting = Promise.allSettled([(await slow.listMcps())[0]?.connect()]);
      const other = workspace.session({ agentId: 'a', sessionId: 'other' });
      await other.addMcp(echo('echo'));
      expect(await call((await other.listMcps())[0], 'echo', { text: 'quick' })).toBe('quick');
      await workspace.close();
      expect(await connecting).toMatchObject([{ status: 'rejected', reason: { code: 'mcp-client-closed' } }]);
    });

    it('mcp:secrets: resolves ${NAME} from the given secrets alone, and the file keeps the placeholder', async () => {
      const workspace = await workspaces.open({ secrets: { TOKEN: 'hunter2' } });
      await workspace.addMcp({ ...echo('echo'), env: { A: '${TOKEN}', B: 'x ${TOKEN}', C: '1' } });
      const [client] = await workspace.listMcps();
      const env = JSON.parse(await call(client, 'env')) as Record<string, string>;
      expect(env).toMatchObject({ A: 'hunter2', B: 'x ${TOKEN}', C: '1' });
      expect(await readText(workspace, `${workspace.workdir}/.mcp`)).not.toContain('hunter2');
      expect(JSON.stringify(client?.declaration)).not.toContain('hunter2');
      await workspace.addMcp({ ...echo('other'), env: { A: '${MISSING}' } });
      const [, other] = await workspace.listMcps();
      await expect(other?.connect()).rejects.toMatchObject({ code: 'mcp-secret-missing' });
    });

    it('mcp:host: a server of the host is in every scope, last, and never in .mcp', async () => {
      const workspace = await workspaces.open({
        hostMcps: [{ name: 'host', ...hostFixtureServer('echo') }],
        defaultMcps: [echo('echo'), { name: 'host', command: 'shadow' }],
      });
      const session = workspace.session({ agentId: 'a', sessionId: 's' });
      const clients = await session.listMcps();
      expect(clients.map((client) => client.name)).toEqual(['echo', 'host']);
      expect(await call(clients[1], 'echo', { text: 'from the host' })).toBe('from the host');
      expect(workspace.diagnostics).toContainEqual(
        expect.objectContaining({ kind: 'mcp', path: `${workspace.workdir}/.mcp/host` }),
      );
      await session.removeMcp('echo');
      expect((await session.listMcps()).map((client) => client.name)).toEqual(['host']);
    });

    it('mcp:events: tells how a server comes and goes', async () => {
      const states: string[] = [];
      const workspace = await workspaces.open({
        defaultMcps: [echo('echo')],
        onEvent: (event) => event.type === 'mcp-state-changed' && states.push(`${event.name} ${event.state.kind}`),
      });
      const [client] = await workspace.listMcps();
      await client?.connect();
      await workspace.close();
      expect(states).toEqual(['echo connecting', 'echo connected', 'echo closed']);
    });
  });
}

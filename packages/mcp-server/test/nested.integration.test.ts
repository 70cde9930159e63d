import { fixtureServer, makeFixtureSkill } from '@agent-workspace/testing';
import { describe, expect, it, vi } from 'vitest';
import { servedToolName } from '../src/index.ts';
import { ConnectedClient, textOf } from './support/connected-client.ts';

describe('tools of the MCP servers of the workspace', () => {
  it('are announced once it has started, by short names, with their own annotations', async () => {
    const defaultMcps = [
      { name: 'fixture', ...fixtureServer('echo') },
      { name: 'odd', ...fixtureServer('odd-names') },
    ];
    await using connected = await ConnectedClient.connect({ local: { defaultMcps } });
    await connected.call('Glob', { pattern: '*' });
    await vi.waitFor(async () => expect(await connected.toolNames()).toContain(servedToolName('odd', 'ns_do')), 20_000);
    await vi.waitFor(async () => expect(await connected.toolNames()).toContain('fixture__echo'), 20_000);
    expect(connected.changes.tools).toBeGreaterThanOrEqual(1);

    const { tools } = await connected.client.listTools();
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,40}$/u);
    expect(names.filter((name) => name.startsWith('odd__'))).toHaveLength(6);
    const [echo, pid] = ['fixture__echo', 'fixture__pid'].map((name) => tools.find((tool) => tool.name === name));
    expect(echo).toMatchObject({
      title: 'Echo',
      annotations: { title: 'Echo', readOnlyHint: true, idempotentHint: true },
    });
    // What a server does not say is what the protocol assumes.
    expect(pid?.title).toBe('fixture: pid');
    expect(pid?.annotations).toStrictEqual({
      title: 'fixture: pid',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });

    expect(textOf(await connected.call('fixture__echo', { text: 'hello' }))).toContain('hello');
    expect(textOf(await connected.call(servedToolName('odd', 'ns.do')))).toBe('called ns.do');
    expect(textOf(await connected.call(servedToolName('odd', 'ns:do')))).toBe('called ns:do');
  });

  it('can be called at once by who knows their names', async () => {
    const defaultMcps = [{ name: 'fixture', ...fixtureServer('echo') }];
    await using connected = await ConnectedClient.connect({ local: { defaultMcps } });
    expect(textOf(await connected.call('fixture__echo', { text: 'first' }))).toContain('first');
  });

  it('do without a server that fails, which is told', async () => {
    const defaultMcps = [
      { name: 'fixture', ...fixtureServer('echo') },
      { name: 'broken', ...fixtureServer('crash-at-start') },
    ];
    await using connected = await ConnectedClient.connect({ local: { defaultMcps } });
    expect(textOf(await connected.call('fixture__echo', { text: 'still' }))).toContain('still');
    await vi.waitFor(() => expect(connected.logs).not.toHaveLength(0), 20_000);
    expect(connected.logs[0]).toMatchObject({
      level: 'warning',
      logger: 'broken',
      data: expect.stringContaining('The tools of the MCP server broken are missing: '),
    });
  });

  it('pass on their progress', async () => {
    const defaultMcps = [{ name: 'fixture', ...fixtureServer('echo') }];
    await using connected = await ConnectedClient.connect({ local: { defaultMcps } });
    // So that no start is among what is told.
    await connected.call('fixture__echo', { text: 'x' });
    const news: number[] = [];
    const request = { name: 'fixture__progress', arguments: { times: 3, everyMs: 1 } };
    const onprogress = ({ progress }: { readonly progress: number }): void => void news.push(progress);
    await connected.client.callTool(request, undefined, { onprogress });
    expect(news).toStrictEqual([1, 2, 3]);
  });
});

describe('skills', () => {
  it('are a tool that lists them, and a prompt each', async () => {
    await using skill = await makeFixtureSkill({ name: 'tables', description: 'Draws tables.', body: 'Use lines.\n' });
    await using connected = await ConnectedClient.connect({ local: { skillPaths: [skill.path] } });
    await connected.call('Glob', { pattern: '*' });
    await vi.waitFor(() => expect(connected.changes).toMatchObject({ tools: 1, prompts: 1 }), 20_000);

    const tool = (await connected.client.listTools()).tools.find(({ name }) => name === 'Skill');
    expect(tool?.description).toContain('- tables: Draws tables.');
    expect(tool?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(textOf(await connected.call('Skill', { skill: 'tables' }))).toContain('Use lines.');

    expect((await connected.client.listPrompts()).prompts).toStrictEqual([
      {
        name: 'tables',
        title: 'tables',
        description: 'Draws tables.',
        arguments: [{ name: 'request', description: 'What to do with this skill.', required: false }],
      },
    ]);
    const prompt = await connected.client.getPrompt({ name: 'tables', arguments: { request: 'Draw a small one.' } });
    expect(prompt.messages).toStrictEqual([
      {
        role: 'user',
        content: {
          type: 'text',
          text: `Use the skill tables. Its folder is ${connected.workdir}/skills/tables\n\nUse lines.\n\nDraw a small one.`,
        },
      },
    ]);
    await expect(connected.client.getPrompt({ name: '../x' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('There is no skill "../x". There are: "tables".'),
    });
  });

  it('are found that an agent writes', async () => {
    await using connected = await ConnectedClient.connect();
    const content = '---\nname: new\ndescription: Is new.\n---\n\nDo it.\n';
    await connected.call('Write', { file_path: 'skills/new/SKILL.md', content });
    expect(textOf(await connected.call('Skill', { skill: 'new' }))).toContain('Do it.');
    expect((await connected.client.getPrompt({ name: 'new' })).description).toBe('Is new.');
  });
});

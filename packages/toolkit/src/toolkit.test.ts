import { collectToolResult, type Tool, ToolNameConflictError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { echo, inMemoryServer } from '../test/support/tools.ts';
import { Toolkit } from './toolkit.ts';

describe('Toolkit', () => {
  it('lists tools in their order, then Skill, then those of servers by name', async () => {
    const toolkit = new Toolkit({
      tools: [echo('Write'), echo('Bash')],
      mcps: [inMemoryServer('zoo', ['b', 'a']), inMemoryServer('art', ['c'])],
      skillsOrLoaders: [
        { name: 's', description: '', directory: '/s', path: '/s/SKILL.md', body: '', frontMatter: {} },
      ],
    });
    const names = (await toolkit.list()).map(({ name }) => name);
    expect(names).toEqual(['Write', 'Bash', 'Skill', 'mcp__zoo__a', 'mcp__zoo__b', 'mcp__art__c']);
    expect((await toolkit.list()).map(({ name }) => name)).toEqual(names);
  });

  it('has no Skill without skills', async () => {
    expect(await new Toolkit({ tools: [echo('Read')], skillsOrLoaders: [] }).list()).toHaveLength(1);
  });

  it('reports a server that fails and lists the others', async () => {
    const broken = inMemoryServer('broken', []);
    let isBroken = true;
    const mcps = [
      {
        ...broken,
        listTools: async () => {
          if (isBroken) throw new Error('no such command');
          return await Promise.resolve([]);
        },
      },
      inMemoryServer('fine', ['look']),
    ];
    const toolkit = new Toolkit({ tools: [echo('Read')], mcps });
    expect((await toolkit.list()).map(({ name }) => name)).toEqual(['Read', 'mcp__fine__look']);
    expect(toolkit.problems).toMatchObject([{ server: 'broken', error: { message: 'no such command' } }]);
    isBroken = false;
    await toolkit.list();
    expect(toolkit.problems).toEqual([]);
  });

  it('refuses two tools of one name', async () => {
    expect(() => new Toolkit({ tools: [echo('Read'), echo('Read')] })).toThrow(ToolNameConflictError);
    const toolkit = new Toolkit({ tools: [echo('mcp__a__x')], mcps: [inMemoryServer('a', ['x'])] });
    await expect(toolkit.list()).rejects.toMatchObject({
      code: 'tool-name-conflict',
      details: { name: 'mcp__a__x', sources: ['the tools given', 'the MCP server "a"'] },
    });
  });

  it('runs a tool of a server without being asked for a list first', async () => {
    const toolkit = new Toolkit({ mcps: [inMemoryServer('fine', ['look'])] });
    const result = await collectToolResult(toolkit.run('mcp__fine__look', { text: 'hi' }));
    expect(result.content).toMatchObject([{ text: 'mcp__fine__look: hi' }]);
  });

  it.each(['Nope', 'constructor', '__proto__'])('tells the model that there is no tool called %s', async (name) => {
    const result = await collectToolResult(new Toolkit({ tools: [echo('Read')] }).run(name, {}));
    expect(result.state).toBe('error');
    expect(result.content).toMatchObject([
      { text: `There is no tool called ${JSON.stringify(name)}. There are: Read.` },
    ]);
  });

  it('runs tools side by side, and one that is not concurrency-safe alone', async () => {
    let running = 0;
    const seen: Record<string, number> = {};
    const busy = (name: string, isConcurrencySafe: boolean): Tool => ({
      ...echo(name),
      isConcurrencySafe,
      async *call() {
        running += 1;
        seen[name] = Math.max(seen[name] ?? 0, running);
        await new Promise((resolve) => setImmediate(resolve));
        seen[name] = Math.max(seen[name], running);
        running -= 1;
        yield { content: [], state: 'success', isLast: true, metadata: {} };
      },
    });
    const toolkit = new Toolkit({ tools: [busy('read', true), busy('write', false)] });
    const names = ['read', 'read', 'read', 'write', 'write', 'read'];
    await Promise.all(names.map(async (name) => await collectToolResult(toolkit.run(name, {}))));
    expect(seen).toEqual({ read: 3, write: 1 });
  });

  it('gives the turn back when a call fails', async () => {
    const failing: Tool = {
      ...echo('fail'),
      isConcurrencySafe: false,
      // eslint-disable-next-line require-yield -- a call that fails before its first chunk
      async *call() {
        throw new Error('disk gone');
      },
    };
    const toolkit = new Toolkit({ tools: [failing, echo('Read')] });
    await expect(collectToolResult(toolkit.run('fail', {}))).rejects.toThrow('disk gone');
    expect((await collectToolResult(toolkit.run('Read', { text: 'x' }))).state).toBe('success');
  });
});

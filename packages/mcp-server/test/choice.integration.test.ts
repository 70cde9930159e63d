import { fixtureServer } from '@agent-workspace/testing';
import { describe, expect, it, vi } from 'vitest';
import { ConnectedClient, textOf } from './support/connected-client.ts';

const local = { defaultMcps: [{ name: 'fixture', ...fixtureServer('echo') }] };

describe('tools', () => {
  it('serves only what the list names, nested ones too', async () => {
    const tools = ['Read', 'fixture__e*'];
    await using connected = await ConnectedClient.connect({ local, tools });
    expect(await connected.toolNames()).toStrictEqual(['Read']);
    expect(textOf(await connected.call('fixture__echo', { text: 'x' }))).toContain('x');
    const names = ['Read', 'fixture__echo', 'fixture__env'];
    await vi.waitFor(async () => expect(await connected.toolNames()).toStrictEqual(names), 20_000);
    for (const name of ['Bash', 'fixture__pid']) {
      const refused = await connected.call(name, { command: 'true' });
      expect([refused.isError, textOf(refused)]).toStrictEqual([
        true,
        `There is no tool called "${name}". There are: Read, fixture__echo, fixture__env.`,
      ]);
    }
  });

  it('answers a name that is not in the list without a start', async () => {
    await using connected = await ConnectedClient.connect({ tools: ['Read'] });
    expect(textOf(await connected.call('Bash'))).toBe('There is no tool called "Bash". There are: Read.');
    expect(connected.opened).toBe(0);
  });

  it('says which there are, of a name that the workspace does not have', async () => {
    await using connected = await ConnectedClient.connect();
    expect(textOf(await connected.call('Nope'))).toBe(
      'There is no tool called "Nope". There are: Bash, Read, Write, Edit, Glob, Grep.',
    );
  });
});

describe('isReadOnly', () => {
  it('serves and runs nothing that changes something', async () => {
    await using connected = await ConnectedClient.connect({ local, isReadOnly: true });
    expect(await connected.toolNames()).toStrictEqual(['Read', 'Glob', 'Grep']);
    const refused = await connected.call('Bash', { command: 'touch made' });
    expect(refused.isError).toBe(true);
    expect(textOf(await connected.call('Glob', { pattern: '**/made' }))).toMatch(/^No files in /u);
    expect(textOf(await connected.call('fixture__echo', { text: 'x' }))).toContain('x');
    expect((await connected.call('fixture__pid')).isError).toBe(true);
    expect(await connected.toolNames()).toStrictEqual(['Read', 'Glob', 'Grep', 'fixture__echo']);
  });
});

describe('isLazy', () => {
  it('serves three tools that lead to all others', async () => {
    await using connected = await ConnectedClient.connect({ local, isLazy: true });
    expect(await connected.toolNames()).toStrictEqual(['ListTools', 'DescribeTool', 'CallTool']);
    expect(connected.opened).toBe(0);
    const list = textOf(await connected.call('ListTools'));
    expect(list.split('\n').map((line) => line.slice(0, line.indexOf(':')))).toStrictEqual(
      expect.arrayContaining(['- Bash', '- Read', '- fixture__echo']),
    );
    expect(textOf(await connected.call('ListTools', { query: 'FIXTURE TOOL E' }))).toMatch(
      /^- fixture__echo: .*\n- fixture__env: .*$/u,
    );
    const description: unknown = JSON.parse(textOf(await connected.call('DescribeTool', { name: 'Read' })));
    expect(description).toMatchObject({ name: 'Read', inputSchema: { required: ['file_path'] } });
    const given = { name: 'fixture__echo', arguments: { text: 'through' } };
    expect(textOf(await connected.call('CallTool', given))).toContain('through');
    expect(connected.changes.tools).toBe(0);
    expect(await connected.toolNames()).toHaveLength(3);
  });

  it.each([
    ['Read', { file_path: 'x' }, 'There is no tool called "Read". There are: ListTools, DescribeTool, CallTool.'],
    ['CallTool', {}, 'The parameter "name" is required'],
    ['CallTool', { name: 'Read', arguments: [] }, 'The parameter "arguments" is an object'],
    ['CallTool', { name: 'Nope' }, 'There is no tool called "Nope"'],
    ['DescribeTool', { name: 'Nope' }, 'There is no tool called "Nope"'],
  ])('says what is wrong: %s %j', async (name, input, reason) => {
    await using connected = await ConnectedClient.connect({ isLazy: true });
    const refused = await connected.call(name, input);
    expect([refused.isError, textOf(refused)]).toStrictEqual([true, expect.stringContaining(reason)]);
  });

  it('can be read-only', async () => {
    await using connected = await ConnectedClient.connect({ isLazy: true, isReadOnly: true });
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toStrictEqual([true, true, true]);
    const refused = await connected.call('CallTool', { name: 'Bash', arguments: { command: 'true' } });
    expect(refused.isError).toBe(true);
  });
});

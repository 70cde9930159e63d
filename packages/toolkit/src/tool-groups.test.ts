import type { Skill } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { echo, inMemoryServer, namesOf, outcomeOf, writer } from '../test/support/tools.ts';
import { Toolkit } from './toolkit.ts';
import type { ToolGroup } from './tool-group.ts';

const skill = (name: string): Skill => ({
  name,
  description: '',
  directory: `/w/skills/${name}`,
  path: `/w/skills/${name}/SKILL.md`,
  body: `How to ${name}.`,
  frontMatter: {},
});

const search: ToolGroup = {
  name: 'search',
  description: 'Search of the web.',
  instructions: 'Name your sources.',
  mcps: [inMemoryServer('search-web', ['query'])],
};
const coding: ToolGroup = {
  name: 'coding',
  description: 'Work on code.',
  tools: [writer('Format')],
  skillsOrLoaders: [skill('refactor')],
};

describe('tool groups', () => {
  it('has no reset_tools without groups', async () => {
    expect(await namesOf(new Toolkit({ tools: [echo('Read')], toolGroups: [] }))).toEqual(['Read']);
  });

  it('begins with the basic tools, and offers the groups as booleans', async () => {
    const toolkit = new Toolkit({ tools: [echo('Read')], toolGroups: [search, coding] });
    const listed = await toolkit.list();
    expect(listed.map(({ name }) => name)).toEqual(['Read', 'reset_tools']);
    expect(listed[1]?.inputSchema).toEqual({
      type: 'object',
      properties: {
        search: { type: 'boolean', default: false, description: 'Search of the web.' },
        coding: { type: 'boolean', default: false, description: 'Work on code.' },
      },
      additionalProperties: false,
    });
  });

  it('takes each call for the final state of all groups', async () => {
    const toolkit = new Toolkit({ tools: [echo('Read')], toolGroups: [search, coding] });
    expect(await outcomeOf(toolkit, 'reset_tools', { search: true })).toEqual({
      state: 'success',
      text: 'Active groups: search. All others are not.\n<group name="search">\nName your sources.\n</group>',
    });
    expect(await namesOf(toolkit)).toEqual(['Read', 'reset_tools', 'mcp__search-web__query']);

    await outcomeOf(toolkit, 'reset_tools', { coding: true });
    expect(await namesOf(toolkit)).toEqual(['Read', 'Skill', 'reset_tools', 'Format']);

    await outcomeOf(toolkit, 'reset_tools', { coding: true, search: true });
    expect(toolkit.activeGroups).toEqual(['search', 'coding']);

    expect(await outcomeOf(toolkit, 'reset_tools', {})).toMatchObject({ text: expect.stringMatching(/^No group/u) });
    expect(await namesOf(toolkit)).toEqual(['Read', 'reset_tools']);
  });

  it('changes nothing where the input is wrong, and says what is', async () => {
    const toolkit = new Toolkit({ toolGroups: [{ ...search, active: true }, coding] });
    const given = { search: 'yes', cooking: true };
    expect(await outcomeOf(toolkit, 'reset_tools', given)).toEqual({
      state: 'error',
      text: [
        'Nothing was changed:',
        '- search: true or false is expected, "yes" given',
        '- cooking: there is no such group',
        'The groups are: search, coding.',
      ].join('\n'),
    });
    expect(toolkit.activeGroups).toEqual(['search']);
  });

  it('tells how to get at a tool of a group that is not active', async () => {
    const toolkit = new Toolkit({ toolGroups: [coding] });
    expect(await outcomeOf(toolkit, 'Format')).toEqual({
      state: 'error',
      text:
        'Format belongs to the group coding, which is not active. Activate it with reset_tools, naming all groups ' +
        'that you need, and call it in the step after.',
    });
  });

  it('asks the servers of a group only when it is active', async () => {
    let asked = 0;
    const server = inMemoryServer('slow', ['x']);
    const counting = {
      ...server,
      listTools: async () => {
        asked += 1;
        return await server.listTools();
      },
    };
    const toolkit = new Toolkit({ toolGroups: [{ name: 'slow', description: '', mcps: [counting] }] });
    await toolkit.list();
    expect(asked).toBe(0);
    const all = await toolkit.list({ includeInactive: true });
    expect([asked, all.map(({ name }) => name)]).toEqual([1, ['reset_tools', 'mcp__slow__x']]);
    expect(toolkit.isActive('mcp__slow__x')).toBe(false);
    toolkit.activate(['slow']);
    expect(toolkit.isActive('mcp__slow__x')).toBe(true);
  });

  it('shows the skills of active groups, asked for anew each time', async () => {
    const skills = [skill('report')];
    const toolkit = new Toolkit({ skillsOrLoaders: [() => skills], toolGroups: [coding] });
    expect((await toolkit.listSkills()).map(({ name }) => name)).toEqual(['report']);
    expect(await outcomeOf(toolkit, 'Skill', { skill: 'refactor' })).toMatchObject({ state: 'error' });
    skills.push(skill('plot'));
    toolkit.activate(['coding']);
    expect((await toolkit.listSkills()).map(({ name }) => name)).toEqual(['report', 'plot', 'refactor']);
    expect(await outcomeOf(toolkit, 'Skill', { skill: 'refactor' })).toMatchObject({ state: 'success' });
    expect(await outcomeOf(toolkit, 'Skill', { skill: 'plot' })).toMatchObject({ state: 'success' });
  });

  it('takes a session for a loader, and reports one that fails', async () => {
    const session = { listSkills: async () => await Promise.resolve([skill('report')]) };
    const broken = (): Promise<never> => Promise.reject(new Error('no disk'));
    const toolkit = new Toolkit({ skillsOrLoaders: [broken, session] });
    expect(await namesOf(toolkit)).toEqual(['Skill']);
    expect(toolkit.problems).toMatchObject([{ source: 'a skill loader', error: { message: 'no disk' } }]);
  });

  it('shows the first of two skills with one name, and reports the other', async () => {
    const other = { ...skill('report'), path: '/elsewhere/SKILL.md', body: 'Otherwise.' };
    const toolkit = new Toolkit({ skillsOrLoaders: [skill('report'), other] });
    await toolkit.list();
    expect(toolkit.problems).toMatchObject([{ error: { code: 'skill-invalid', details: { path: other.path } } }]);
    expect((await outcomeOf(toolkit, 'Skill', { skill: 'report' })).text).toContain('How to report.');
  });

  it('shares what is active among toolkits that are given one set', async () => {
    const activeGroups = new Set(['coding']);
    const first = new Toolkit({ toolGroups: [search, coding], activeGroups });
    const second = new Toolkit({ toolGroups: [search, coding], activeGroups });
    await outcomeOf(first, 'reset_tools', { search: true });
    expect(second.activeGroups).toEqual(['search']);
  });

  it.each([
    ['the same twice', [coding, coding]],
    ['basic', [{ name: 'basic', description: '' }]],
    ['no key of an input', [{ name: 'web search', description: '' }]],
  ])('refuses group names that are %s', (_which, toolGroups) => {
    expect(() => new Toolkit({ toolGroups })).toThrow(expect.objectContaining({ code: 'toolkit-options-invalid' }));
  });

  it('refuses to activate what is not there, and changes nothing', () => {
    const toolkit = new Toolkit({ toolGroups: [{ ...coding, active: true }, search] });
    expect(() => toolkit.activate(['search', 'cooking'])).toThrow('cooking');
    expect(toolkit.activeGroups).toEqual(['coding']);
  });

  it.each([
    ['two groups', { toolGroups: [coding, { ...search, tools: [echo('Format')] }] }],
    ['a group and the basic tools', { tools: [echo('Format')], toolGroups: [coding] }],
    ['reset_tools', { tools: [echo('reset_tools')], toolGroups: [coding] }],
    ['Skill', { tools: [echo('Skill')], toolGroups: [coding] }],
  ])('refuses one name in %s', (_where, options) => {
    expect(() => new Toolkit(options)).toThrow(expect.objectContaining({ code: 'tool-name-conflict' }));
  });

  it('refuses a name of a server that a group has that is not active', async () => {
    const toolkit = new Toolkit({
      mcps: [inMemoryServer('a', ['x'])],
      toolGroups: [{ ...coding, tools: [echo('mcp__a__x')] }],
    });
    await expect(toolkit.list()).rejects.toMatchObject({
      code: 'tool-name-conflict',
      details: { sources: ['the group "coding"', 'the MCP server "a"'] },
    });
  });

  it('sorts a flat list of servers into groups by a prefix of their names', async () => {
    const mcps = ['search-web', 'search-papers', 'files'].map((name) => inMemoryServer(name, ['run']));
    const toolkit = new Toolkit({
      tools: [echo('Bash')],
      mcps: mcps.filter(({ name }) => !name.startsWith('search')),
      toolGroups: [
        { name: 'search', description: 'Search.', mcps: mcps.filter(({ name }) => name.startsWith('search')) },
        { name: 'coding', description: 'Code.', skillsOrLoaders: [skill('refactor')] },
      ],
    });
    expect(await namesOf(toolkit)).toEqual(['Bash', 'reset_tools', 'mcp__files__run']);
    await outcomeOf(toolkit, 'reset_tools', { search: true, coding: true });
    expect(await namesOf(toolkit)).toEqual([
      'Bash',
      'Skill',
      'reset_tools',
      'mcp__files__run',
      'mcp__search-web__run',
      'mcp__search-papers__run',
    ]);
  });
});

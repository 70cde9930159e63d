import { describe, expect, it } from 'vitest';
import { echo, inMemoryServer, namesOf, outcomeOf } from '../test/support/tools.ts';
import { isMCPTool } from './rename-tool.ts';
import { Toolkit } from './toolkit.ts';

describe('rename', () => {
  it('resolves a collision by where a tool is from', async () => {
    const toolkit = new Toolkit({
      tools: [echo('Read')],
      toolGroups: [{ name: 'notes', description: '', tools: [echo('Read')], active: true }],
      rename: ({ name }, { group }) => (group === 'notes' ? `notes_${name}` : undefined),
    });
    expect(await namesOf(toolkit)).toEqual(['Read', 'reset_tools', 'notes_Read']);
    expect(await outcomeOf(toolkit, 'notes_Read')).toEqual({ state: 'success', text: 'Read: x' });
  });

  it('gives the tools of a server another prefix, and they stay its tools', async () => {
    const toolkit = new Toolkit({
      mcps: [inMemoryServer('git', ['log'])],
      rename: ({ name }, { server }) => (server === undefined ? undefined : name.replace(/^mcp__/u, '')),
    });
    const [tool] = await toolkit.list();
    expect(tool).toMatchObject({ name: 'git__log', serverName: 'git', toolName: 'log' });
    expect(tool !== undefined && isMCPTool(tool)).toBe(true);
    expect(await outcomeOf(toolkit, 'git__log')).toMatchObject({ state: 'success' });
  });

  it('lets permissions go by the name that the model sees', async () => {
    const toolkit = new Toolkit({
      tools: [echo('Read')],
      rename: () => 'Look',
      permissions: { tools: { Look: 'deny' } },
    });
    expect(await outcomeOf(toolkit, 'Look')).toMatchObject({ state: 'denied' });
  });

  it.each(['', 'with space', 'x'.repeat(65)])('refuses %j as a name', (name) => {
    expect(() => new Toolkit({ tools: [echo('Read')], rename: () => name })).toThrow(
      expect.objectContaining({ code: 'toolkit-options-invalid' }),
    );
  });
});

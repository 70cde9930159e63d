import { symlink } from 'node:fs/promises';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentscopeLayout } from './agentscope-layout.ts';

const KEY = { userId: 'user-1', agentId: 'agent-42', sessionId: 's' };

describe('AgentscopeLayout, with the older directories of a user and an agent', () => {
  let directory: TemporaryDirectory;
  let layout: AgentscopeLayout;

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
    const older = { depth: 2, namesOf: ({ userId, agentId }: typeof KEY) => [userId, agentId] };
    layout = new AgentscopeLayout({ basedir: directory.at('base'), older });
  });

  afterEach(() => directory[Symbol.asyncDispose]());

  it('finds one by its names, and again by the id that it then has', async () => {
    await directory.write({ 'base/user-1/agent-42/.mcp': '' });
    expect(await layout.findOlder('per-agent', KEY)).toBe('user-1/agent-42');
    expect(layout.directoryOf('user-1/agent-42')).toBe('user-1/agent-42');
    expect(await layout.findOlder('per-user', KEY)).toBeUndefined();
    expect(await layout.findOlder('per-agent', { ...KEY, userId: 'USER-1' })).toBeUndefined();
  });

  it('names what is not there by its id', async () => {
    expect(await layout.findOlder('per-agent', KEY)).toBeUndefined();
    expect(layout.directoryOf('d638316f4f89b77d')).toBe('d638316f4f89b77d');
    expect(layout.directoryOf('user-1/agent-42')).toBe('user-1%2Fagent-42');
  });

  it.each(['.mcp', '.workspace/state.json'])('finds nothing in a workspace, which has %s [A06]', async (mark) => {
    await directory.write({ [`base/d638316f4f89b77d/${mark}`]: '', 'base/d638316f4f89b77d/skills/notes/SKILL.md': '' });
    const key = { ...KEY, userId: 'd638316f4f89b77d', agentId: 'skills' };
    expect(await layout.findOlder('per-agent', key)).toBeUndefined();
    expect(layout.directoryOf('d638316f4f89b77d/skills')).toBe('d638316f4f89b77d%2Fskills');
  });

  it('gives nobody the directory of a user for a workspace', async () => {
    await directory.write({ 'base/user-1/agent-42/.mcp': '', 'base/w-1/.mcp': '', 'base/w-1/clone/.mcp': '' });
    expect(() => layout.directoryOf('user-1')).toThrow(expect.objectContaining({ code: 'workspace-forbidden' }));
    expect(layout.directoryOf('w-1')).toBe('w-1');
  });

  it.each([
    ['..', 'outside'],
    ['user-1', '..'],
    ['user-1', '../../outside'],
    ['linked', 'agent-42'],
    ['user-1', 'linked'],
    ['user-1', 'a file'],
    ['', ''],
    ['/', 'etc'],
  ])('finds nothing at %j, %j [A06]', async (userId, agentId) => {
    await directory.write({ 'outside/agent-42/.mcp': '', 'base/user-1/a file': '' });
    await symlink(directory.at('outside'), directory.at('base/linked'));
    await symlink(directory.at('outside/agent-42'), directory.at('base/user-1/linked'));
    expect(await layout.findOlder('per-agent', { ...KEY, userId, agentId })).toBeUndefined();
    expect(layout.directoryOf(`${userId}/${agentId}`)).not.toContain('/');
  });
});

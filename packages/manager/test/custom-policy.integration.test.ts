import { readFile } from 'node:fs/promises';
import { describeManagerContract, TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { localContract } from './support/local-contract.ts';
import { TeamWorkspaceManager } from './team-workspace-manager.ts';

const directory = await TemporaryDirectory.create();

afterAll(() => directory[Symbol.asyncDispose]());

describe('the custom policy of the documentation', () => {
  it('is the one that is tested here, in twenty lines', async () => {
    const source = await readFile(new URL('team-workspace-manager.ts', import.meta.url), 'utf8');
    const page = await readFile(new URL('../../../docs/workspace-manager.md', import.meta.url), 'utf8');
    expect(page).toContain(source);
    expect(source.trim().split('\n').length).toBeLessThanOrEqual(20);
  });

  it('shares a workspace in a team, and with nobody else', async () => {
    await using manager = await TeamWorkspaceManager.open({ basedir: directory.at('teams') });
    const idOf = async (userId: string, agentId: string): Promise<string> =>
      (await manager.getWorkspace({ userId, agentId, sessionId: 's' })).workspaceId;
    expect(await idOf('u', 'red/writer')).toBe(await idOf('u', 'red/reader'));
    const ids = [
      await idOf('u', 'red/writer'),
      await idOf('u', 'blue/x'),
      await idOf('v', 'red/x'),
      await idOf('u', 'red'),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});

describeManagerContract('a custom policy', localContract({ places: directory.path, Manager: TeamWorkspaceManager }));

import type { WorkspaceContainer, WorkspaceImage } from '@agent-workspace/docker';
import { describe, expect, it } from 'vitest';
import type { WorkspacePod } from '@agent-workspace/kubernetes';
import { type GcRules, planGc, planPodGc } from './gc-plan.ts';

const NOW = 1_000_000_000;
const OLD = NOW - 10_000;
const rules: GcRules = { now: NOW, olderThanMs: 5_000, takesData: false };

function container(change: Partial<WorkspaceContainer>): WorkspaceContainer {
  return {
    id: 'c'.repeat(64),
    workspaceId: 'w',
    managerId: 'standalone',
    state: 'exited',
    createdAt: OLD,
    isPersistent: true,
    mountSources: [],
    ...change,
  };
}

function image(change: Partial<WorkspaceImage>): WorkspaceImage {
  return { id: 'i', names: ['agent-workspace:1'], createdAt: OLD, sizeBytes: 1, isUsed: false, ...change };
}

const nothing = { containers: [], images: [], socketDirectories: [] };

describe('planGc', () => {
  it('takes containers that have ended, and leaves those that run, are young, or belong to another manager', () => {
    const containers = [
      container({ id: 'ended' }),
      container({ id: 'never-started', state: 'created' }),
      container({ id: 'runs', state: 'running' }),
      container({ id: 'paused', state: 'paused' }),
      container({ id: 'young', createdAt: NOW - 4_999 }),
      container({ id: 'helper', workspaceId: undefined, managerId: undefined, isPersistent: false }),
      container({ id: 'theirs', managerId: 'theirs' }),
    ];
    const ids = (managerId?: string): readonly string[] =>
      planGc({ ...nothing, containers }, { ...rules, managerId }).containers.map(({ id }) => id);
    expect(ids()).toStrictEqual(['ended', 'never-started', 'helper', 'theirs']);
    expect(ids('theirs')).toStrictEqual(['theirs']);
  });

  it('leaves the only copy of files, and says so, unless it is to take data', () => {
    const containers = [container({ id: 'abcdefghijklmnop', isPersistent: false })];
    const plan = planGc({ ...nothing, containers }, rules);
    expect(plan.containers).toStrictEqual([]);
    expect(plan.kept).toStrictEqual([
      {
        what: 'container abcdefghijkl of the workspace w',
        why: 'its files are nowhere else; --with-data removes it, too',
      },
    ]);
    expect(planGc({ ...nothing, containers }, { ...rules, takesData: true })).toMatchObject({ containers, kept: [] });
  });

  it('takes images that no container uses', () => {
    const images = [image({ id: 'old' }), image({ id: 'used', isUsed: true }), image({ id: 'young', createdAt: NOW })];
    expect(planGc({ ...nothing, images }, rules).images.map(({ id }) => id)).toStrictEqual(['old']);
  });

  it('takes directories for sockets that no container has mounted', () => {
    const containers = [container({ state: 'running', mountSources: ['/tmp/aw-socket-a'] })];
    const socketDirectories = ['a', 'b'].map((name) => ({ path: `/tmp/aw-socket-${name}`, createdAt: OLD }));
    const young = { path: '/tmp/aw-socket-c', createdAt: NOW };
    const plan = planGc({ containers, images: [], socketDirectories: [...socketDirectories, young] }, rules);
    expect(plan.socketDirectories.map(({ path }) => path)).toStrictEqual(['/tmp/aw-socket-b']);
  });
});

describe('planPodGc', () => {
  it('takes Pods that have ended, and leaves those that live, are young, or belong to another manager', () => {
    const pod = (name: string, change: Partial<WorkspacePod> = {}): WorkspacePod => ({
      name,
      uid: name,
      workspaceId: 'w',
      managerId: 'standalone',
      state: 'ended',
      createdAt: OLD,
      isPersistent: true,
      ...change,
    });
    const living = (['starting', 'running', 'leaving', 'closed'] as const).map((state) => pod(state, { state }));
    const pods = [pod('ended'), pod('young', { createdAt: NOW }), pod('theirs', { managerId: 'theirs' }), ...living];
    const names = (managerId?: string): readonly string[] =>
      planPodGc(pods, { ...rules, managerId }).map(({ name }) => name);
    expect(names()).toStrictEqual(['ended', 'theirs']);
    expect(names('theirs')).toStrictEqual(['theirs']);
  });
});

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WorkspaceKey } from '@agent-workspace/core';
import type { LocalWorkspace } from '@agent-workspace/local';
import type { NewWorkspaceContext } from '@agent-workspace/manager';
import { LocalWorkspaceManager } from '@agent-workspace/manager/local';
import type { Benchmark } from '../benchmark.ts';
import { median } from '../measure.ts';
import { makeRow, type Row } from '../row.ts';

const WORKSPACES = 10_000;
const AT_ONCE = 32;
const HANGING_BUILDS = 20;
const CACHED_GETS = 50_000;
const CACHED_BAR_MS = 0.05;
const PREWARMED_GETS = 40;
const PREWARMED_BAR_MS = 5;

/** A manager whose builds can be made to hang. */
class HangingManager extends LocalWorkspaceManager {
  isHanging = false;
  hanging = 0;

  protected override newWorkspace(context: NewWorkspaceContext): LocalWorkspace {
    const workspace = super.newWorkspace(context);
    if (!this.isHanging) return workspace;
    return Object.assign(workspace, {
      initialize: ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
        this.hanging += 1;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
  }
}

function keyOf(index: number): WorkspaceKey {
  return { userId: `user-${index}`, agentId: 'agent', sessionId: 'session' };
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function openAll(manager: LocalWorkspaceManager): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < WORKSPACES; index = next++) await manager.getWorkspace(keyOf(index));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function timeCachedGets(manager: LocalWorkspaceManager): Promise<readonly number[]> {
  const times: number[] = [];
  for (let call = -CACHED_GETS / 10; call < CACHED_GETS; call += 1) {
    // Another one each time, in no order that a cache of the processor would know.
    const key = keyOf((Math.abs(call) * 7919) % WORKSPACES);
    const begin = performance.now();
    await manager.getWorkspace(key);
    if (call >= 0) times.push(performance.now() - begin);
  }
  return times.toSorted((left, right) => left - right);
}

/** 10,000 workspaces that are open and idle, with 20 builds of other tenants under way. */
export const managerCached: Benchmark = {
  name: 'manager-cached',
  async run(scratch): Promise<readonly Row[]> {
    const basedir = await mkdtemp(join(scratch, 'managed-'));
    await using manager = await HangingManager.open({ basedir });
    const before = heapBytes();
    await openAll(manager);
    const megabytes = (heapBytes() - before) / 1024 / 1024;
    manager.isHanging = true;
    for (let index = 0; index < HANGING_BUILDS; index += 1) {
      manager.getWorkspace({ ...keyOf(index), agentId: 'slow' }).catch(() => undefined);
    }
    const times = await timeCachedGets(manager);
    if (manager.hanging !== HANGING_BUILDS) throw new Error(`${manager.hanging} builds hang.`);
    return [
      makeRow({
        name: 'manager-cached p50',
        ours: median(times),
        against: CACHED_BAR_MS,
        againstName: 'the bar',
        bar: 1,
      }),
      makeRow({
        name: 'manager-cached p99',
        ours: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
        against: CACHED_BAR_MS,
        againstName: 'the bar of p50',
      }),
      makeRow({
        name: 'manager-cached memory',
        unit: 'MiB',
        ours: megabytes,
        against: WORKSPACES / 1024,
        againstName: '1 KiB each',
      }),
    ];
  },
};

async function timeFirstGets(basedir: string, size: number): Promise<number> {
  let prewarmed = 0;
  const ready = Promise.withResolvers<void>();
  await using manager = await LocalWorkspaceManager.open({
    basedir,
    isolation: 'per-session',
    ...(size > 0 && { prewarm: { size, maxCreating: 4 } }),
    onEvent: ({ type }) => {
      if (type !== 'workspace-prewarmed') return;
      prewarmed += 1;
      if (prewarmed === size) ready.resolve();
    },
  });
  if (size > 0) await ready.promise;
  const times: number[] = [];
  for (let index = 0; index < PREWARMED_GETS; index += 1) {
    const begin = performance.now();
    await manager.getWorkspace(keyOf(index));
    times.push(performance.now() - begin);
  }
  return median(times);
}

/** The first get of a session: of a workspace that is ready, beside one that has to be built. */
export const managerPrewarmed: Benchmark = {
  name: 'manager-prewarmed',
  async run(scratch): Promise<readonly Row[]> {
    const cold = await timeFirstGets(await mkdtemp(join(scratch, 'cold-')), 0);
    const ours = await timeFirstGets(await mkdtemp(join(scratch, 'prewarmed-')), PREWARMED_GETS);
    return [
      makeRow({ name: 'manager-prewarmed', ours, against: PREWARMED_BAR_MS, againstName: 'the bar', bar: 1 }),
      makeRow({ name: 'manager-prewarmed', ours, against: cold, againstName: 'a cold get' }),
    ];
  },
};

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { LocalWorkspace } from '@agent-workspace/local';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PrewarmBuffer } from './prewarm-buffer.ts';

const TEN_MINUTES_MS = 600_000;

describe('PrewarmBuffer', () => {
  let directory: TemporaryDirectory;
  let attempts: number;
  let isBroken: boolean;

  beforeEach(async () => {
    directory = await TemporaryDirectory.create();
    attempts = 0;
    isBroken = true;
  });

  afterEach(async () => {
    vi.useRealTimers();
    await rm(directory.path, { recursive: true, force: true });
  });

  function buffer(size: number): PrewarmBuffer<LocalWorkspace> {
    return new PrewarmBuffer<LocalWorkspace>({
      size,
      maxCreating: 1,
      build: async (workspaceId) => {
        attempts += 1;
        if (isBroken) throw new Error('no room');
        return await LocalWorkspace.open({ workspaceId, workdir: directory.at(randomUUID()) });
      },
      end: (workspace) => workspace.destroy(),
      onPrewarmed: () => undefined,
      onFailed: () => undefined,
    });
  }

  it('tries again ever more seldom while builds fail [G10]', async () => {
    vi.useFakeTimers();
    const slots = buffer(2);
    slots.fill();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(attempts).toBe(3);
    for (let request = 0; request < 100; request += 1) slots.fill();
    await vi.advanceTimersByTimeAsync(TEN_MINUTES_MS);
    expect(attempts).toBeLessThanOrEqual(16);
    await slots.close();
    const before = attempts;
    await vi.advanceTimersByTimeAsync(TEN_MINUTES_MS);
    expect(attempts).toBe(before);
  });

  it('is full again once builds succeed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const slots = buffer(2);
    slots.fill();
    await vi.advanceTimersByTimeAsync(0);
    expect(slots.listReady()).toEqual([]);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(slots.listReady()).toHaveLength(2), { timeout: 60_000 });
    await slots.close();
    expect(await directory.names()).toEqual([]);
  });

  it('hands over nothing whose disk has gone, though nobody has said so [G07]', async () => {
    isBroken = false;
    const slots = buffer(1);
    slots.fill();
    await vi.waitFor(() => expect(slots.listReady()).toHaveLength(1), { timeout: 60_000 });
    for (const name of await directory.names()) await rm(directory.at(name), { recursive: true });
    const workspaceId = slots.reserve() ?? '';
    expect(await slots.take(workspaceId, { signal: new AbortController().signal })).toBeUndefined();
    expect(await slots.take(workspaceId, { signal: new AbortController().signal })).toBeUndefined();
    await slots.close();
  });

  it('takes back a slot that was reserved in vain', async () => {
    isBroken = false;
    const slots = buffer(1);
    slots.fill();
    await vi.waitFor(() => expect(slots.listReady()).toHaveLength(1), { timeout: 60_000 });
    const workspaceId = slots.reserve();
    slots.giveBack(workspaceId ?? '');
    slots.giveBack('unknown');
    expect(slots.reserve()).toBe(workspaceId);
    await slots.close();
    expect(slots.reserve()).toBeUndefined();
    expect(await directory.names()).toEqual([]);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallProgress, type ProgressUpdate } from './call-progress.ts';

describe('CallProgress', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  function listen(): { readonly told: ProgressUpdate[]; readonly progress: CallProgress } {
    const told: ProgressUpdate[] = [];
    return {
      told,
      progress: new CallProgress(
        (update) => void told.push(update),
        () => 'Bash is running',
      ),
    };
  }

  it('tells lines, and leaves out those that follow too closely', () => {
    const { told, progress } = listen();
    progress.say(' one \n');
    progress.say('two');
    vi.advanceTimersByTime(300);
    progress.say('');
    progress.say('x'.repeat(500));
    expect(told).toStrictEqual([
      { progress: 1, message: 'one' },
      { progress: 2, message: 'x'.repeat(200) },
    ]);
    progress[Symbol.dispose]();
  });

  it('says that it is still there when nothing else is said', () => {
    const { told, progress } = listen();
    vi.advanceTimersByTime(11_000);
    expect(told).toStrictEqual([
      { progress: 1, message: 'Bash is running (5 s)' },
      { progress: 2, message: 'Bash is running (10 s)' },
    ]);
    progress[Symbol.dispose]();
    vi.advanceTimersByTime(60_000);
    expect(told).toHaveLength(2);
  });

  it("passes on a nested server's numbers, and never goes back", () => {
    const { told, progress } = listen();
    progress.pass({ progress: 0, total: 100 });
    vi.advanceTimersByTime(5_000);
    progress.pass({ progress: 50, total: 100, message: 'half' });
    progress.pass({ progress: 50, total: 100 });
    vi.advanceTimersByTime(6_000);
    progress.pass({ progress: 100, total: 100 });
    const numbers = told.map((update) => update.progress);
    expect(numbers).toStrictEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(told).toMatchObject([
      { progress: 0, total: 100 },
      {},
      { progress: 50, message: 'half' },
      {},
      { progress: 100 },
    ]);
    progress[Symbol.dispose]();
  });

  it('does nothing where nobody asked', () => {
    const progress = new CallProgress(undefined, () => '');
    progress.say('x');
    progress.pass({ progress: 1 });
    expect(vi.getTimerCount()).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { measure, median } from './measure.ts';

describe('median', () => {
  it('is the middle value, or the mean of the middle two', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 10])).toBe(3);
    expect(() => median([])).toThrow('median of nothing');
  });
});

describe('measure', () => {
  it('takes turns, each subject going first as often, with untimed steps around each call', async () => {
    const log: string[] = [];
    const step = (name: string) => async (): Promise<void> => void log.push(name);
    const medians = await measure(
      [
        { name: 'a', prepare: step('a+'), call: step('a'), finish: step('a-') },
        { name: 'b', call: step('b') },
      ],
      { calls: 1, warmUpCalls: 1 },
    );
    expect(log).toEqual(['a+', 'a', 'a-', 'b', 'b', 'a+', 'a', 'a-']);
    expect([...medians.keys()]).toEqual(['a', 'b']);
  });
});

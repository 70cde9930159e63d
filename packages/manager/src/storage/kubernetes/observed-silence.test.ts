import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ObservedSilence } from './observed-silence.ts';

describe('ObservedSilence', () => {
  let silence: ObservedSilence;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    silence = new ObservedSilence();
  });

  afterEach(() => void vi.useRealTimers());

  function look(name: string, state: string): number {
    return silence.note(name, state, performance.now());
  }

  it('begins when something is seen, and anew when it has changed', () => {
    expect(look('w', '1')).toBe(0);
    vi.advanceTimersByTime(40);
    expect([look('w', '1'), look('other', '1')]).toEqual([40, 0]);
    expect(look('w', '2')).toBe(0);
    vi.advanceTimersByTime(5);
    expect(look('w', '2')).toBe(5);
    silence.forget('w');
    expect(look('w', '2')).toBe(0);
  });

  it('counts until the question, and from the answer: what the call takes is no silence', () => {
    const askedAt = performance.now();
    vi.advanceTimersByTime(1_000);
    expect(silence.note('w', '1', askedAt)).toBe(0);
    expect(silence.note('w', '1', askedAt)).toBe(0);
  });

  it('looks at no clock that somebody may set', () => {
    look('w', '1');
    vi.advanceTimersByTime(10);
    vi.setSystemTime(0);
    expect(look('w', '1')).toBe(10);
  });

  it('forgets what it has not seen for longest, where there is too much', () => {
    look('first', '1');
    look('second', '1');
    vi.advanceTimersByTime(10);
    look('first', '1');
    for (let index = 0; index < 9_999; index += 1) look(`w-${index}`, '1');
    expect([look('first', '1'), look('second', '1')]).toEqual([10, 0]);
  });
});

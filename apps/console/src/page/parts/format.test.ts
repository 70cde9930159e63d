import { describe, expect, it } from 'vitest';
import { formatBytes, formatCount, formatCountdown, formatDuration } from './format.ts';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [123_456, '123 kB'],
    [50_000_000, '50.0 MB'],
    [2e15, '2000 TB'],
  ])('%d is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('formatDuration', () => {
  it.each([
    [0.4, '0 ms'],
    [999, '999 ms'],
    [1_500, '1.5 s'],
    [12_900, '12 s'],
    [65_000, '1 min 5 s'],
    [720_000, '12 min'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
  ])('%d is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

it('counts on in whole seconds, and not below none', () => {
  expect([formatCountdown(5_900), formatCountdown(-10)]).toStrictEqual(['5 s', '0 s']);
});

it('names one thing and several', () => {
  expect([formatCount(1, 'tool'), formatCount(1_234, 'tool')]).toStrictEqual(['1 tool', '1,234 tools']);
});

import { describe, expect, it } from 'vitest';
import { formatTable, makeRow } from './row.ts';

describe('makeRow', () => {
  it('holds up to the bar, and has no verdict without one', () => {
    const input = { name: 'glob', oursMs: 13, againstMs: 10, againstName: 'ripgrep' };
    expect(makeRow({ ...input, bar: 1.3 })).toEqual({
      name: 'glob',
      unit: 'ms',
      ours: 13,
      against: 10,
      againstName: 'ripgrep',
      ratio: 1.3,
      bar: 1.3,
      barMs: null,
      holds: true,
    });
    expect(makeRow({ ...input, oursMs: 13.1, bar: 1.3 }).holds).toBe(false);
    expect(makeRow(input)).toMatchObject({ bar: null, holds: null });
  });

  it('holds past the bar where the difference is little enough', () => {
    const input = { name: 'import', againstMs: 10, againstName: 'node', bar: 1.5, barMs: 60 };
    expect(makeRow({ ...input, oursMs: 70 }).holds).toBe(true);
    expect(makeRow({ ...input, oursMs: 71 }).holds).toBe(false);
  });
});

describe('formatTable', () => {
  it('lines up names to the left and numbers to the right', () => {
    const rows = [
      makeRow({ name: 'exec', oursMs: 2, againstMs: 1.5, againstName: 'node' }),
      makeRow({ name: 'glob', oursMs: 13.123456, againstMs: 10, againstName: 'ripgrep', bar: 1.3 }),
      makeRow({ name: 'import', oursMs: 50, againstMs: 20, againstName: 'node', bar: 1.5, barMs: 60 }),
    ];
    expect(formatTable(rows).split('\n')).toEqual([
      'what        ours  against           ratio               bar',
      'exec        2 ms   1.5 ms  node     1.33×',
      'glob    13.12 ms    10 ms  ripgrep  1.31×            ≤ 1.3×  MISSED',
      'import     50 ms    20 ms  node     2.50×  ≤ 1.5× or +60 ms  holds',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { formatTable, makeRow } from './row.ts';

describe('makeRow', () => {
  it('holds up to the bar, and has no verdict without one', () => {
    const input = { name: 'glob', ours: 13, against: 10, againstName: 'ripgrep' };
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
    expect(makeRow({ ...input, ours: 13.1, bar: 1.3 }).holds).toBe(false);
    expect(makeRow(input)).toMatchObject({ bar: null, holds: null });
  });

  it('holds past the bar where the difference is little enough', () => {
    const input = { name: 'import', against: 10, againstName: 'node', bar: 1.5, barMs: 60 };
    expect(makeRow({ ...input, ours: 70 }).holds).toBe(true);
    expect(makeRow({ ...input, ours: 71 }).holds).toBe(false);
  });
});

describe('makeRow, of other kinds', () => {
  it('takes a difference alone for a bar', () => {
    const input = { name: 'echo', against: 0.2, againstName: 'the SDK', barMs: 0.5 };
    expect(makeRow({ ...input, ours: 0.7 })).toMatchObject({ bar: null, barMs: 0.5, holds: true });
    expect(makeRow({ ...input, ours: 0.71 }).holds).toBe(false);
  });

  it('asks for more calls per second, not for fewer', () => {
    const input = { name: 'rate', unit: 'calls/s', against: 1000, againstName: 'the SDK', bar: 0.4 } as const;
    expect(makeRow({ ...input, ours: 400 })).toMatchObject({ unit: 'calls/s', ratio: 0.4, holds: true });
    expect(makeRow({ ...input, ours: 399 }).holds).toBe(false);
  });
});

describe('formatTable', () => {
  it('lines up names to the left and numbers to the right', () => {
    const rows = [
      makeRow({ name: 'exec', ours: 2, against: 1.5, againstName: 'node' }),
      makeRow({ name: 'glob', ours: 13.123456, against: 10, againstName: 'ripgrep', bar: 1.3 }),
      makeRow({ name: 'import', ours: 50, against: 20, againstName: 'node', bar: 1.5, barMs: 60 }),
    ];
    expect(formatTable(rows).split('\n')).toEqual([
      'what        ours  against           ratio               bar',
      'exec        2 ms   1.5 ms  node     1.33×',
      'glob    13.12 ms    10 ms  ripgrep  1.31×            ≤ 1.3×  MISSED',
      'import     50 ms    20 ms  node     2.50×  ≤ 1.5× or +60 ms  holds',
    ]);
  });

  it('says which way a bar goes, and keeps two digits of a small ratio', () => {
    const rows = [
      makeRow({ name: 'rate', unit: 'calls/s', ours: 4000, against: 8000, againstName: 'SDK', bar: 0.4 }),
      makeRow({ name: 'read', ours: 0.2, against: 20, againstName: 'archive', bar: 1 / 60 }),
      makeRow({ name: 'echo', ours: 1, against: 0.8, againstName: 'SDK', barMs: 0.5 }),
    ];
    expect(formatTable(rows).split('\n').slice(1)).toEqual([
      'rate  4000 calls/s  8000 calls/s  SDK       0.50×      ≥ 0.4×  holds',
      'read        0.2 ms         20 ms  archive  0.010×  ≤ 0.01667×  holds',
      'echo          1 ms        0.8 ms  SDK       1.25×     +0.5 ms  holds',
    ]);
  });
});

import { expect, it } from 'vitest';
import { compareCursors, decodeCursor, encodeCursor } from './list-cursor.ts';

const CURSOR = { startedAtMs: 1_700_000_000_123, sandboxId: 'iabc' };

it('comes back as it went', () => {
  expect(decodeCursor(encodeCursor(CURSOR))).toEqual(CURSOR);
});

it('orders by time, then by id', () => {
  const later = { ...CURSOR, startedAtMs: CURSOR.startedAtMs + 1 };
  const other = { ...CURSOR, sandboxId: 'iabd' };
  expect([later, other, CURSOR].toSorted(compareCursors)).toEqual([CURSOR, other, later]);
});

it.each(['', 'bad', Buffer.from('never__iabc').toString('base64url'), Buffer.from('2026-01-01').toString('base64url')])(
  'refuses %j',
  (token) => {
    expect(() => decodeCursor(token)).toThrow('Invalid next token');
  },
);

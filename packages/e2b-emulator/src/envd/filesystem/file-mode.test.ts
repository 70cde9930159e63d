import { constants, type BigIntStats } from 'node:fs';
import { expect, it } from 'vitest';
import { formatMode, permissionBits } from './file-mode.ts';

const statsOf = (mode: number): BigIntStats => ({ mode: BigInt(mode) }) as BigIntStats;

it.each([
  [constants.S_IFREG | 0o644, '-rw-r--r--', 0o644],
  [constants.S_IFREG | 0o4755, 'urwxr-xr-x', 0o755],
  [constants.S_IFDIR | 0o755, 'drwxr-xr-x', 0o755],
  [constants.S_IFDIR | 0o1777, 'dtrwxrwxrwx', 0o777],
  [constants.S_IFDIR | 0o2770, 'dgrwxrwx---', 0o770],
  [constants.S_IFLNK | 0o777, 'Lrwxrwxrwx', 0o777],
  [constants.S_IFIFO | 0o600, 'prw-------', 0o600],
  [constants.S_IFSOCK | 0o700, 'Srwx------', 0o700],
  [constants.S_IFCHR | 0o666, 'Dcrw-rw-rw-', 0o666],
  [constants.S_IFBLK | 0o660, 'Drw-rw----', 0o660],
])('writes mode %o as %s', (mode, letters, bits) => {
  expect(formatMode(statsOf(mode))).toBe(letters);
  expect(permissionBits(statsOf(mode))).toBe(bits);
});

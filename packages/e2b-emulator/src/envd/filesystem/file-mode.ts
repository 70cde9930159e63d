import { constants, type BigIntStats } from 'node:fs';

const PERMISSION_LETTERS = Array.from('rwxrwxrwx');
const [SET_UID, SET_GID, STICKY] = [0o4000, 0o2000, 0o1000];

const KIND_LETTERS: Readonly<Record<number, string>> = {
  [constants.S_IFDIR]: 'd',
  [constants.S_IFLNK]: 'L',
  [constants.S_IFBLK]: 'D',
  [constants.S_IFCHR]: 'D',
  [constants.S_IFIFO]: 'p',
  [constants.S_IFSOCK]: 'S',
};

/** The nine bits of permission. */
export function permissionBits(stats: BigIntStats): number {
  return Number(stats.mode) & 0o777;
}

/**
 * The mode in Go's letters, which are not those of `ls`: `-rw-r--r--`, `drwxr-xr-x`, `Lrwxrwxrwx`.
 *
 * @see https://pkg.go.dev/io/fs#FileMode
 */
export function formatMode(stats: BigIntStats): string {
  const mode = Number(stats.mode);
  const kind = mode & constants.S_IFMT;
  const letters = [
    KIND_LETTERS[kind] ?? '',
    (mode & SET_UID) === 0 ? '' : 'u',
    (mode & SET_GID) === 0 ? '' : 'g',
    kind === constants.S_IFCHR ? 'c' : '',
    (mode & STICKY) === 0 ? '' : 't',
  ].join('');
  const permissions = PERMISSION_LETTERS.map((letter, index) => ((mode >> (8 - index)) & 1 ? letter : '-'));
  return (letters === '' ? '-' : letters) + permissions.join('');
}

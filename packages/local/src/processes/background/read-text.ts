import { closeSync, constants, readSync } from 'node:fs';
import { openRegular } from '../../files/open-regular.ts';
import { isErrno, translateError } from '../../files/translate-error.ts';

/** Reads at most `maxBytes` of a regular file, `undefined` if there is none. Follows no link. */
export function readText(path: string, maxBytes: number): string | undefined {
  try {
    const { descriptor, stats } = openRegular(path, constants.O_RDONLY, path);
    try {
      const bytes = Buffer.alloc(Math.min(maxBytes, Number(stats.size)));
      return bytes.toString('utf8', 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw translateError(error, 'read', path);
  }
}

import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  openSync,
  rmSync,
} from 'node:fs';
import { FileExistsError } from '@agent-workspace/core';
import { copyContent } from './copy-content.ts';
import { syncDescriptor } from './descriptor.ts';
import { permissionBits } from './file-stat.ts';
import { openRegular } from './open-regular.ts';
import type { TemporaryFile } from './temporary-file.ts';
import { isErrno } from './translate-error.ts';

export interface OverwriteOptions {
  readonly mode: number | undefined;
  readonly sync: boolean;
}

/**
 * Copies the content into the file that is there, which keeps its links, its owner and its mount. Of a file that has
 * no holes, nothing is lost where there is no room for the content.
 */
export async function overwriteInPlace(
  temporary: TemporaryFile,
  target: string,
  path: string,
  options: OverwriteOptions,
): Promise<BigIntStats> {
  const { descriptor, stats } = openRegular(target, constants.O_WRONLY, path);
  const oldLength = Number(stats.size);
  const newLength = Number(fstatSync(temporary.descriptor, { bigint: true }).size);
  try {
    if (newLength > oldLength) await extend(temporary, descriptor, oldLength);
    await copyContent(temporary.descriptor, descriptor, { end: oldLength });
    ftruncateSync(descriptor, newLength);
    if (options.mode !== undefined) fchmodSync(descriptor, options.mode & 0o777);
    if (options.sync) await syncDescriptor(descriptor);
    return fstatSync(descriptor, { bigint: true });
  } finally {
    closeSync(descriptor);
  }
}

/** Writes what is past the old end, which alone needs new room, and takes it back where there is none. */
async function extend(temporary: TemporaryFile, descriptor: number, oldLength: number): Promise<void> {
  try {
    await copyContent(temporary.descriptor, descriptor, { start: oldLength });
  } catch (error) {
    ftruncateSync(descriptor, oldLength);
    throw error;
  }
}

/** What file systems without hard links answer to one. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/** Gives the file its name unless something has it. @throws `file-exists` */
export async function nameExclusively(
  temporary: TemporaryFile,
  target: string,
  path: string,
): Promise<{ atomic: boolean; stats: BigIntStats }> {
  try {
    linkSync(temporary.path, target);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) throw new FileExistsError({ path }, { cause: error });
    if (!isErrno(error, ...NO_LINKS)) throw error;
    return { atomic: false, stats: await copyExclusively(temporary, target) };
  }
  rmSync(temporary.path);
  temporary.keep();
  return { atomic: true, stats: fstatSync(temporary.descriptor, { bigint: true }) };
}

async function copyExclusively(temporary: TemporaryFile, target: string): Promise<BigIntStats> {
  const mode = permissionBits(fstatSync(temporary.descriptor, { bigint: true }));
  const descriptor = openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    await copyContent(temporary.descriptor, descriptor);
    fchmodSync(descriptor, mode);
    return fstatSync(descriptor, { bigint: true });
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

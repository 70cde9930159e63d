import {
  type BigIntStats,
  accessSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  renameSync,
} from 'node:fs';
import { posix } from 'node:path';
import {
  FileChangedError,
  FileExistsError,
  NotADirectoryError,
  type WriteFileOptions,
  type WriteFileResult,
} from '@agent-workspace/core';
import { syncDescriptor, writeFully } from './descriptor.ts';
import { permissionBits, toFileStat } from './file-stat.ts';
import { requireLock } from './held-lock.ts';
import { requireRegular } from './open-regular.ts';
import type { PathGuard } from './path-guard.ts';
import { nameExclusively, overwriteInPlace } from './publish.ts';
import { syncPath } from './sync-path.ts';
import { TemporaryFile } from './temporary-file.ts';
import type { TemporarySweeper } from './temporary-sweeper.ts';
import { isErrno, throwIfAborted } from './translate-error.ts';

const NEW_FILE_MODE = 0o666;
/** While content is written that replaces a file, whatever that file's mode will be. */
const PRIVATE_MODE = 0o600;

export type FileContent = Uint8Array | AsyncIterable<Uint8Array>;

export type FileWriterOptions = WriteFileOptions & { readonly sweeper: TemporarySweeper };

/** Makes the missing directories above `realPath`. @throws `not-a-directory` */
export function makeParents(realPath: string): void {
  const parent = posix.dirname(realPath);
  try {
    mkdirSync(parent, { recursive: true });
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOTDIR')) throw new NotADirectoryError({ path: parent }, { cause: error });
    throw error;
  }
}

function statIfThere(realPath: string): BigIntStats | undefined {
  return lstatSync(realPath, { bigint: true, throwIfNoEntry: false });
}

/**
 * Writes all content to a temporary file beside the real path, and then gives it its name, or, where
 * that would lose something, copies it into the file that is there.
 */
export async function writeFile(
  guard: PathGuard,
  path: string,
  content: FileContent,
  options: FileWriterOptions,
): Promise<WriteFileResult> {
  const { signal, isExclusive = false, sync = false } = options;
  throwIfAborted(signal, 'write', path);
  const absolute = guard.absolute(path);
  const staysAtLink = isExclusive || options.noFollow === true;
  const target = staysAtLink ? guard.entry(path) : guard.target(path);
  if (options.makeParents !== false) makeParents(target);

  const existing = statIfThere(target);
  if (existing !== undefined) {
    if (isExclusive) throw new FileExistsError({ path: absolute });
    requireRegular(existing, absolute);
    // A rename asks for no permission on the file that it replaces; whoever took it away meant it.
    accessSync(target, constants.W_OK);
  }
  const requireUnchanged = (): void => {
    requireLock(guard, options.heldLock);
    if (options.ifMatches === undefined) return;
    const now = statIfThere(target);
    if (now === undefined || toFileStat(now).version !== options.ifMatches) {
      throw new FileChangedError({ path: absolute });
    }
  };
  requireUnchanged();

  const { file, isBeside } = createTemporary(target, existing, options.mode);
  using temporary = file;
  await writeContent(temporary.descriptor, content, () => throwIfAborted(signal, 'write', path));
  const keepsIdentity = adoptIdentity(temporary, existing, options.mode);
  if (sync) await syncDescriptor(temporary.descriptor);
  throwIfAborted(signal, 'write', path);
  requireUnchanged();

  const isNew = existing === undefined;
  const published = isExclusive
    ? await nameExclusively(temporary, target, absolute)
    : isBeside && keepsIdentity && renameOver(temporary, target)
      ? { atomic: true, stats: fstatSync(temporary.descriptor, { bigint: true }) }
      : { atomic: false, stats: await overwriteInPlace(temporary, target, absolute, { mode: options.mode, sync }) };
  if (sync) await syncPath(posix.dirname(target));
  options.sweeper.visit(posix.dirname(target));
  return { atomic: published.atomic, isNew, stat: toFileStat(published.stats) };
}

function createTemporary(
  target: string,
  existing: BigIntStats | undefined,
  mode: number | undefined,
): { file: TemporaryFile; isBeside: boolean } {
  if (existing === undefined) return { file: TemporaryFile.beside(target, mode ?? NEW_FILE_MODE), isBeside: true };
  return TemporaryFile.besideOrElsewhere(target, PRIVATE_MODE);
}

async function writeContent(descriptor: number, content: FileContent, check: () => void): Promise<void> {
  if (content instanceof Uint8Array) return writeFully(descriptor, content);
  for await (const chunk of content) {
    check();
    await writeFully(descriptor, chunk);
  }
}

/**
 * Gives the temporary file the mode and group that the name shall have. `false` if it cannot stand
 * in for the file that is there: another name leads to it, or it belongs to someone else.
 */
function adoptIdentity(temporary: TemporaryFile, existing: BigIntStats | undefined, mode: number | undefined): boolean {
  const wanted = mode ?? (existing === undefined ? undefined : permissionBits(existing));
  if (existing !== undefined) {
    const uid = process.geteuid?.();
    if (existing.nlink > 1n || (uid !== undefined && existing.uid !== BigInt(uid))) return false;
    if (uid !== undefined && existing.gid !== temporary.gid) {
      try {
        fchownSync(temporary.descriptor, uid, Number(existing.gid));
      } catch (error) {
        if (isErrno(error, 'EPERM')) return false;
        throw error;
      }
    }
  }
  if (wanted !== undefined) fchmodSync(temporary.descriptor, wanted & 0o777);
  return true;
}

/** `false` where the name is a mount of its own, which cannot be renamed over. */
function renameOver(temporary: TemporaryFile, target: string): boolean {
  try {
    renameSync(temporary.path, target);
  } catch (error) {
    if (isErrno(error, 'EBUSY', 'EXDEV')) return false;
    throw error;
  }
  temporary.keep();
  return true;
}

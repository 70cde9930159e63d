import { posix } from 'node:path';
import { PathInvalidError, PathOutsideRootError } from '@agent-workspace/core';
import { resolveRealPath } from './real-path.ts';

/** Of the file systems of Linux and macOS. A system says so itself only if all directories above are there. */
const MAX_NAME_BYTES = 255;

/** Whether an absolute path is `directory` or below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/**
 * Makes paths absolute, and refuses those that begin inside of the roots and are led out of them
 * by a link. A path that is written outside of the roots is the business of the caller.
 *
 * Resolving is synchronous: a few microseconds of system calls, of which a trip over the thread
 * pool would cost ten times as much.
 */
export class PathGuard {
  readonly workdir: string;
  readonly #roots: readonly string[] | null;

  /** `roots` are absolute; `null` where there is no border. */
  constructor(workdir: string, roots: readonly string[] | null) {
    this.workdir = workdir;
    this.#roots = roots;
  }

  /** Absolute and without `.` and `..`; no link is looked at. @throws `path-invalid` */
  absolute(path: string): string {
    if (path === '') throw new PathInvalidError({ path, reason: 'it is empty' });
    if (path.includes('\0')) throw new PathInvalidError({ path, reason: 'it has a NUL byte' });
    if (!path.isWellFormed()) throw new PathInvalidError({ path, reason: 'it has half a surrogate pair' });
    if (path.length > MAX_NAME_BYTES / 3 && path.split('/').some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
      throw new PathInvalidError({ path, reason: `a name in it is longer than ${MAX_NAME_BYTES} bytes` });
    }
    return posix.resolve(this.workdir, path);
  }

  /** What the path leads to, every link followed. @throws `path-invalid`, `path-outside-root` */
  target(path: string): string {
    const absolute = this.absolute(path);
    return this.#confine(absolute, resolveRealPath(absolute));
  }

  /** The entry itself: links are followed on the way to it, and not at its end. @throws as `target` */
  entry(path: string): string {
    const absolute = this.absolute(path);
    const parent = posix.dirname(absolute);
    if (parent === absolute) return absolute;
    if (this.#roots?.includes(absolute) === true) return posix.join(resolveRealPath(parent), posix.basename(absolute));
    return posix.join(this.#confine(absolute, resolveRealPath(parent), parent), posix.basename(absolute));
  }

  /** @param written the part of the path of which `real` is the real path; default: all of it */
  #confine(absolute: string, real: string, written: string = absolute): string {
    if (this.#roots === null) return real;
    const realRoots = this.#roots.map((root) => resolveRealPath(root));
    const startsInside = [...this.#roots, ...realRoots].some((root) => isWithin(written, root));
    if (!startsInside || realRoots.some((root) => isWithin(real, root))) return real;
    const realPath = written === absolute ? real : posix.join(real, posix.basename(absolute));
    throw new PathOutsideRootError({ path: absolute, realPath, roots: this.#roots });
  }
}

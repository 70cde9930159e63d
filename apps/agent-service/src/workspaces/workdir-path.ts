import { posix } from 'node:path';
import { type Backend, PathInvalidError, PathOutsideRootError, PathProtectedError } from '@agent-workspace/core';

/** What a workspace keeps of itself: only it writes there. */
const PROTECTED: ReadonlySet<string> = new Set(['.workspace', '.mcp']);

/** A path in a workdir, as a client gave it and as it is. */
export interface WorkdirPath {
  /** Relative to the workdir; `.` for that itself. */
  readonly relative: string;
  /** With all links followed. */
  readonly realPath: string;
}

/**
 * Finds what a client's path leads to, which must be in the workdir whatever links are on the way.
 *
 * @throws `path-invalid`, `path-outside-root`
 */
export async function resolveInWorkdir(backend: Backend, given: string): Promise<WorkdirPath> {
  const { absolute, relative } = lexical(backend, given);
  return { relative, realPath: await insideOf(backend, given, absolute) };
}

/**
 * As {@link resolveInWorkdir}, for what is to be changed. A link at the end is not followed: it is the
 * link that is meant.
 *
 * @throws `path-protected` too
 */
export async function resolveForChange(backend: Backend, given: string): Promise<WorkdirPath> {
  const { absolute, relative } = lexical(backend, given);
  if (relative === '.') throw new PathProtectedError({ path: given });
  const parent = await insideOf(backend, given, posix.dirname(absolute));
  const realPath = posix.join(parent, posix.basename(absolute));
  const root = await backend.realPath(backend.workdir);
  // On a file system that ignores case, `.MCP` is the same file.
  const [first = ''] = posix.relative(root, realPath).toLowerCase().split('/');
  if (PROTECTED.has(first)) throw new PathProtectedError({ path: given });
  return { relative, realPath };
}

function lexical({ workdir }: Backend, given: string): { readonly absolute: string; readonly relative: string } {
  if (given.includes('\0')) throw new PathInvalidError({ path: given, reason: 'it has a NUL character' });
  if (!given.isWellFormed()) throw new PathInvalidError({ path: given, reason: 'it has half a surrogate pair' });
  const absolute = posix.resolve(workdir, given);
  const relative = posix.relative(workdir, absolute);
  if (relative === '..' || relative.startsWith('../')) {
    throw new PathOutsideRootError({ path: given, realPath: given, roots: ['the workspace'] });
  }
  return { absolute, relative: relative === '' ? '.' : relative };
}

async function insideOf(backend: Backend, given: string, absolute: string): Promise<string> {
  const [root, realPath] = await Promise.all([backend.realPath(backend.workdir), backend.realPath(absolute)]);
  if (realPath === root || realPath.startsWith(`${root}/`)) return realPath;
  // Where a link leads to on the machine is nobody's business.
  throw new PathOutsideRootError({ path: given, realPath: given, roots: ['the workspace'] });
}

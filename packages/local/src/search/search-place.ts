import { statSync } from 'node:fs';
import { posix } from 'node:path';
import { FileNotFoundError, NotAFileError } from '@agent-workspace/core';
import { isWithin, type PathGuard } from '../files/path-guard.ts';
import { isErrno } from '../files/translate-error.ts';

const IGNORE_FILES = ['.gitignore', '.ignore', '.rgignore'];
const STATE_DIRECTORY = '.workspace';

/** Where ripgrep runs, and what of it is searched. */
export interface SearchPlace {
  /** The workdir where the searched path is in it, else the searched directory. */
  readonly cwd: string;
  /** The searched path as an argument, relative to `cwd`; it never looks like an option. */
  readonly argument: string;
  /** The searched path. */
  readonly absolute: string;
  /** What the paths of the searched directory's files begin with in the output: `./`, or `./below/`. */
  readonly prefix: string;
  readonly isDirectory: boolean;
  /** Ignore files between the workdir and the searched path. */
  readonly ignoreFiles: readonly string[];
  /** Of the workspace's own files, as a pattern of ripgrep's relative to `cwd`. */
  readonly statePattern: string | undefined;
}

function statIfThere(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** @throws `file-not-found`, `not-a-file`, `path-outside-root`, `path-invalid` */
export function findPlace(guard: PathGuard, path: string = guard.workdir): SearchPlace {
  const absolute = guard.absolute(path);
  const stats = statIfThere(guard.target(path));
  if (stats === undefined) throw new FileNotFoundError({ path: absolute });
  if (!stats.isDirectory() && !stats.isFile()) throw new NotAFileError({ path: absolute, kind: 'other' });
  const { workdir } = guard;
  const directory = stats.isDirectory() ? absolute : posix.dirname(absolute);
  const cwd = isWithin(directory, workdir) ? workdir : directory;
  const below = posix.relative(cwd, directory);
  return {
    cwd,
    absolute,
    argument: `./${posix.relative(cwd, absolute)}`,
    prefix: below === '' ? './' : `./${below}/`,
    isDirectory: stats.isDirectory(),
    ignoreFiles: ignoreFilesAbove(cwd, below),
    statePattern: isWithin(workdir, cwd) ? statePattern(posix.relative(cwd, workdir)) : undefined,
  };
}

/**
 * The same search in a directory below, which a pattern names in full; that is as good as giving its
 * path. `undefined` if there is none.
 *
 * @throws `path-outside-root`, `path-invalid`
 */
export function narrowPlace(guard: PathGuard, place: SearchPlace, directory: string): SearchPlace | undefined {
  if (directory === '') return place;
  const path = posix.join(place.absolute, directory);
  if (statIfThere(guard.target(path))?.isDirectory() !== true) return undefined;
  const { argument, ignoreFiles } = findPlace(guard, path);
  const below = posix.relative(place.cwd, path);
  return place.cwd === guard.workdir ? { ...place, argument, ignoreFiles } : { ...place, argument: `./${below}` };
}

/**
 * Ignore files count up to the workdir and no further, since what a repository around it ignores
 * may be the workspace itself. Ripgrep reads those of the searched directory and below by itself.
 */
function ignoreFilesAbove(cwd: string, below: string): readonly string[] {
  if (below === '') return [];
  const parents = below.split('/').map((_, index, names) => posix.join(cwd, ...names.slice(0, index)));
  return parents
    .flatMap((parent) => IGNORE_FILES.map((name) => posix.join(parent, name)))
    .filter((file) => statIfThere(file)?.isFile() === true);
}

function statePattern(workdir: string): string {
  const names = workdir.replaceAll(/[*?[\]{}\\!]/g, '\\$&');
  return `/${posix.join(names, STATE_DIRECTORY)}`;
}

import { PatternInvalidError } from '../errors/pattern-invalid-error.ts';

const GLOB_CHARACTER = /[*?[\]{}\\!]/;

export interface PlacedPattern {
  /** The directory that the pattern itself names, where it is absolute or has dots in it. */
  readonly directory?: string | undefined;
  /** Relative to that directory, or to the searched one. */
  readonly pattern: string;
}

/**
 * Takes the fixed directory out of a pattern that could lead out of the searched one, so that it
 * can be held against the roots.
 *
 * @throws `pattern-invalid` if `..` comes after a wildcard
 */
export function placePattern(pattern: string): PlacedPattern {
  const segments = pattern.split('/');
  const wild = segments.findIndex((segment) => GLOB_CHARACTER.test(segment));
  const fixed = wild === -1 ? segments.length - 1 : wild;
  const directory = segments.slice(0, fixed);
  const rest = segments.slice(fixed);
  if (rest.includes('..')) {
    throw new PatternInvalidError({ pattern, reason: '".." leads out of the searched directory; name it in path.' });
  }
  const isMoved = pattern.startsWith('/') || directory.some((segment) => segment === '.' || segment === '..');
  if (!isMoved) return { pattern };
  return { directory: directory.join('/') || '/', pattern: rest.join('/') };
}

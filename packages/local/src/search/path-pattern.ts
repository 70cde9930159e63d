import { PatternInvalidError } from '@agent-workspace/core';
import { expandBraces } from './expand-braces.ts';
import { NamePattern } from './name-pattern.ts';

const ANY_DIRECTORIES = '**';
type Part = NamePattern | typeof ANY_DIRECTORIES;

/**
 * Paths by pattern, relative to the searched directory and part by part: `**` as a whole part is
 * any number of directories, and everything else matches within one name.
 */
export class PathPattern {
  readonly #alternatives: readonly (readonly Part[])[];

  /** @throws `pattern-invalid` */
  constructor(pattern: string) {
    const refuse = (reason: string): never => {
      throw new PatternInvalidError({ pattern, reason });
    };
    if (pattern === '') refuse('it is empty.');
    if (pattern.includes('\0')) refuse('it has a NUL byte.');
    this.#alternatives = expandBraces(pattern).map((alternative) => {
      if (alternative.startsWith('/')) refuse('it is absolute; it has to be relative to path.');
      if (alternative.endsWith('/'))
        refuse('it ends with /, and only files are found; end it with /** for those below.');
      const names = alternative.split('/').filter((name) => name !== '' && name !== '.');
      if (names.includes('..')) refuse('".." leads out of path.');
      return toParts(names);
    });
  }

  /** @param path with `/` between its parts; what counts of it begins at `start` */
  matches(path: string, start: number = 0): boolean {
    return this.#alternatives.some((parts) => matchParts(parts, path, start));
  }

  /** The directory below which all matches are, relative; empty for the searched one itself. */
  get fixedDirectory(): string {
    const [first = [], ...others] = this.#alternatives.map(leadingNames);
    const differs = (name: string, index: number): boolean => others.some((names) => names[index] !== name);
    const end = first.findIndex(differs);
    return first.slice(0, end === -1 ? first.length : end).join('/');
  }

  /** Patterns of ripgrep's for the last name of a path; `undefined` where it can be any. */
  get lastNames(): readonly string[] | undefined {
    const last = this.#alternatives.map((parts) => parts.at(-1));
    const names = last.flatMap((part) => (part instanceof NamePattern ? [part.toRipgrep()] : []));
    return names.includes('*') ? undefined : names;
  }
}

/** The directories that a pattern spells out before its first wildcard. */
function leadingNames(parts: readonly Part[]): readonly string[] {
  const names = parts.slice(0, -1).map((part) => (part === ANY_DIRECTORIES ? undefined : part.literal));
  const end = names.indexOf(undefined);
  return names.slice(0, end === -1 ? names.length : end).filter((name) => name !== undefined);
}

function toParts(names: readonly string[]): readonly Part[] {
  const parts = names.map((name) => (name === ANY_DIRECTORIES ? ANY_DIRECTORIES : new NamePattern(name)));
  // Files are found, and so a pattern ends with the name of one.
  if (parts.at(-1) === ANY_DIRECTORIES) parts.push(new NamePattern('*'));
  return parts.filter((part, index) => part !== ANY_DIRECTORIES || parts[index - 1] !== ANY_DIRECTORIES);
}

function matchParts(parts: readonly Part[], path: string, start: number): boolean {
  const [first, second] = parts;
  // The most common kind, `**/*.ts`, needs no more than the last name.
  if (parts.length === 2 && first === ANY_DIRECTORIES && second instanceof NamePattern) return second.matchesEnd(path);
  return matchNames(parts, path.slice(start).split('/'));
}

/** As for one name, goes back to the last `**` alone. */
function matchNames(parts: readonly Part[], names: readonly string[]): boolean {
  let [index, position] = [0, 0];
  let retry: { readonly index: number; position: number } | undefined;
  while (position < names.length || index < parts.length) {
    const part = parts[index];
    const name = names[position];
    if (part === ANY_DIRECTORIES) {
      retry = { index, position };
      index += 1;
    } else if (part !== undefined && name !== undefined && part.matches(name)) {
      index += 1;
      position += 1;
    } else if (retry !== undefined && retry.position < names.length) {
      retry.position += 1;
      index = retry.index + 1;
      position = retry.position;
    } else {
      return false;
    }
  }
  return true;
}

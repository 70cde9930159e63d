import { PatternInvalidError } from '@agent-workspace/core';

/** More than anyone writes by hand; a pattern of a few bytes can ask for millions. */
const MAX_ALTERNATIVES = 1_000;

/** The position right after a `[…]` that begins at `start`. @throws `pattern-invalid` */
export function endOfClass(pattern: string, start: number): number {
  let position = start + 1;
  if (pattern[position] === '!' || pattern[position] === '^') position += 1;
  // A bracket in the first place is one of the characters.
  const end = pattern.indexOf(']', position + 1);
  if (end === -1) throw new PatternInvalidError({ pattern, reason: 'a [ is not closed; write [[] for the character.' });
  return end + 1;
}

/** The position right after the escape, class or character at `start`. */
function endOfUnit(pattern: string, start: number): number {
  if (pattern[start] === '\\') return start + 2;
  return pattern[start] === '[' ? endOfClass(pattern, start) : start + 1;
}

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly alternatives: readonly string[];
}

function findBraces(pattern: string): Braces | undefined {
  let depth = 0;
  let start = 0;
  let alternativeStart = 0;
  const alternatives: string[] = [];
  for (let position = 0; position < pattern.length; position = endOfUnit(pattern, position)) {
    const character = pattern[position];
    if (character === '{') {
      depth += 1;
      if (depth === 1) {
        start = position;
        alternativeStart = position + 1;
      }
    } else if (depth === 1 && (character === ',' || character === '}')) {
      alternatives.push(pattern.slice(alternativeStart, position));
      alternativeStart = position + 1;
      if (character === '}') return { start, end: position + 1, alternatives };
    } else if (character === '}' && depth > 1) {
      depth -= 1;
    }
  }
  if (depth > 0) throw new PatternInvalidError({ pattern, reason: 'a { is not closed; write [{] for the character.' });
  return undefined;
}

/** The patterns without braces that a pattern with `{a,b}` stands for. @throws `pattern-invalid` */
export function expandBraces(pattern: string): readonly string[] {
  const expanded: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const braces = findBraces(next);
    if (braces === undefined) expanded.push(next);
    else {
      const [before, after] = [next.slice(0, braces.start), next.slice(braces.end)];
      pending.push(...braces.alternatives.map((alternative) => before + alternative + after));
    }
    if (expanded.length + pending.length > MAX_ALTERNATIVES) {
      throw new PatternInvalidError({ pattern, reason: `it stands for more than ${MAX_ALTERNATIVES} patterns.` });
    }
  }
  return expanded;
}

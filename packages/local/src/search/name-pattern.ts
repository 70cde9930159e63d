import { endOfClass } from './expand-braces.ts';

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'many' }
  | { readonly kind: 'class'; readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] };

function parseClass(body: string): Token {
  const isNegated = body.startsWith('!') || body.startsWith('^');
  const characters = Array.from(isNegated ? body.slice(1) : body);
  const ranges: [string, string][] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const low = characters[index] ?? '';
    const high = characters[index + 2];
    const isRange = characters[index + 1] === '-' && high !== undefined;
    ranges.push(isRange ? [low, high] : [low, low]);
    if (isRange) index += 2;
  }
  return { kind: 'class', isNegated, ranges };
}

function parseTokens(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let position = 0; position < pattern.length;) {
    const character = String.fromCodePoint(pattern.codePointAt(position) ?? 0);
    let end = position + character.length;
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'many') tokens.push({ kind: 'many' });
    } else if (character === '?') {
      tokens.push({ kind: 'one' });
    } else if (character === '[') {
      end = endOfClass(pattern, position);
      tokens.push(parseClass(pattern.slice(position + 1, end - 1)));
    } else if (character === '\\' && end < pattern.length) {
      const escaped = String.fromCodePoint(pattern.codePointAt(end) ?? 0);
      tokens.push({ kind: 'text', text: escaped });
      end += escaped.length;
    } else {
      tokens.push({ kind: 'text', text: character });
    }
    position = end;
  }
  return tokens;
}

function isIn(character: string, { isNegated, ranges }: Extract<Token, { kind: 'class' }>): boolean {
  const point = character.codePointAt(0) ?? 0;
  const isFound = ranges.some(
    ([low, high]) => point >= (low.codePointAt(0) ?? 0) && point <= (high.codePointAt(0) ?? 0),
  );
  return isFound !== isNegated;
}

/** Length of what `token` takes at `position`, `undefined` if it does not match there. */
function take(token: Token, name: string, position: number): number | undefined {
  const point = name.codePointAt(position);
  if (point === undefined) return undefined;
  const character = String.fromCodePoint(point);
  const isTaken =
    token.kind === 'one' ||
    (token.kind === 'text' && token.text === character) ||
    (token.kind === 'class' && isIn(character, token));
  return isTaken ? character.length : undefined;
}

/** Goes back to the last `*` alone, so that the time is bounded by the product of both lengths. */
function matchTokens(tokens: readonly Token[], name: string): boolean {
  let [index, position] = [0, 0];
  let retry: { readonly index: number; position: number } | undefined;
  while (position < name.length || index < tokens.length) {
    const token = tokens[index];
    if (token?.kind === 'many') {
      retry = { index, position };
      index += 1;
      continue;
    }
    const taken = token === undefined ? undefined : take(token, name, position);
    if (taken !== undefined) {
      index += 1;
      position += taken;
    } else if (retry !== undefined && retry.position < name.length) {
      retry.position += 1;
      index = retry.index + 1;
      position = retry.position;
    } else {
      return false;
    }
  }
  return true;
}

/** One name of a path, as a pattern: `*`, `?`, `[…]`, and `\` before a character that is meant as itself. */
export class NamePattern {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  /** For the most common pattern, `*` and then text. */
  readonly #suffix: string | undefined;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = parseTokens(source);
    const [first, ...rest] = this.#tokens;
    const isSuffix = first?.kind === 'many' && rest.every((token) => token.kind === 'text');
    this.#suffix = isSuffix ? rest.map((token) => (token.kind === 'text' ? token.text : '')).join('') : undefined;
  }

  /** Also a name that is spelled as the pattern is, so that `[id]` finds the directory of that name. */
  matches(name: string): boolean {
    if (this.#suffix !== undefined) return name.endsWith(this.#suffix);
    return name === this.#source || matchTokens(this.#tokens, name);
  }

  /** As `matches`, for the last name of a path. */
  matchesEnd(path: string): boolean {
    // No name has a slash in it, so that the suffix of a path is that of its last name.
    if (this.#suffix !== undefined) return path.endsWith(this.#suffix);
    return this.matches(path.slice(path.lastIndexOf('/') + 1));
  }

  /** The one name that is meant, if it is spelled out. */
  get literal(): string | undefined {
    const text = this.#tokens.map((token) => (token.kind === 'text' ? token.text : undefined));
    return text.includes(undefined) ? undefined : text.join('');
  }

  /** A pattern of ripgrep's that matches at least the same names, with nothing in it that means more there. */
  toRipgrep(): string {
    const parts = this.#tokens.map((token) =>
      token.kind === 'text' && /[\p{L}\p{N}._ -]/u.test(token.text) ? token.text : '*',
    );
    return parts.join('').replaceAll(/\*+/g, '*');
  }
}

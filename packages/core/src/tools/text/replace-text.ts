import { ShownText } from './shown-text.ts';

/** More places than this are not counted: the text is not unique anyway. */
const MAX_COUNTED = 1_000;

export interface ReplaceOptions {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type ReplaceResult =
  | {
      readonly kind: 'replaced';
      readonly text: string;
      readonly count: number;
      /** Where the first replacement is in the new text. */
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'not-found' }
  /** Overlapping places count, too. */
  | { readonly kind: 'ambiguous'; readonly count: number; readonly isMore: boolean; readonly lines: readonly number[] };

/**
 * Replaces a literal text in the text of a file.
 *
 * An old text without carriage returns is in the words of Read, which shows every line end alike:
 * it matches across them, what it puts in takes the line end of its place, and line ends that it
 * does not change stay as they are. With carriage returns it means the bytes, and is taken so
 * where the file has them.
 */
export function replaceText(source: string, options: ReplaceOptions): ReplaceResult {
  const { oldText, newText, replaceAll } = options;
  if (oldText.includes('\r')) {
    const exact = new Replacer({ text: source, oldText, newText, toSource: (offset) => offset, lineEndAt: undefined });
    const result = exact.run(source, replaceAll);
    if (result.kind !== 'not-found') return result;
  }
  const shown = new ShownText(source);
  const isBytes = !shown.hasReturns && !oldText.includes('\r');
  const replacer = new Replacer({
    text: shown.text,
    oldText: oldText.replaceAll('\r\n', '\n'),
    newText: isBytes ? newText : newText.replaceAll('\r\n', '\n'),
    toSource: (offset) => shown.sourceOffset(offset),
    lineEndAt: isBytes ? undefined : (offset) => shown.lineEndAt(offset),
  });
  return replacer.run(source, replaceAll);
}

interface ReplacerOptions {
  readonly text: string;
  readonly oldText: string;
  readonly newText: string;
  readonly toSource: (offset: number) => number;
  /** The line end that new lines take; left out, they are put in as they are. */
  readonly lineEndAt: ((offset: number) => string) | undefined;
}

class Replacer {
  readonly #options: ReplacerOptions;

  constructor(options: ReplacerOptions) {
    this.#options = options;
  }

  run(source: string, replaceAll: boolean): ReplaceResult {
    const { oldText } = this.#options;
    const places = replaceAll ? this.#places(oldText.length, Infinity) : this.#places(1, MAX_COUNTED + 1);
    if (places.length === 0) return { kind: 'not-found' };
    if (!replaceAll && places.length > 1) {
      const isMore = places.length > MAX_COUNTED;
      const lines = places.slice(0, 5).map((place) => this.#lineOf(place));
      return { kind: 'ambiguous', count: Math.min(places.length, MAX_COUNTED), isMore, lines };
    }
    return this.#replace(source, places);
  }

  #places(step: number, max: number): number[] {
    const { text, oldText } = this.#options;
    const places: number[] = [];
    for (let at = text.indexOf(oldText); at !== -1 && places.length < max; at = text.indexOf(oldText, at + step)) {
      places.push(at);
    }
    return places;
  }

  #lineOf(place: number): number {
    let line = 1;
    const { text } = this.#options;
    for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
    return line;
  }

  /** Changes only what differs between old and new text, so that the line ends around it stay. */
  #replace(source: string, places: readonly number[]): ReplaceResult {
    const { oldText, newText, toSource, lineEndAt } = this.#options;
    const head = commonStart(oldText, newText);
    const tail = commonEnd(oldText, newText, head);
    const inserted = newText.slice(head, newText.length - tail);
    const pieces: string[] = [];
    let length = 0;
    let cursor = 0;
    let first: { readonly start: number; readonly end: number } | undefined;
    const add = (piece: string): void => {
      pieces.push(piece);
      length += piece.length;
    };
    for (const place of places) {
      const start = toSource(place + head);
      const end = toSource(place + oldText.length - tail);
      add(source.slice(cursor, start));
      const insertedAt = length;
      const takesLineEnd = lineEndAt !== undefined && inserted.includes('\n');
      add(takesLineEnd ? inserted.replaceAll('\n', lineEndAt(start)) : inserted);
      first ??= { start: insertedAt, end: length };
      cursor = end;
    }
    add(source.slice(cursor));
    return { kind: 'replaced', text: pieces.join(''), count: places.length, ...(first ?? { start: 0, end: 0 }) };
  }
}

function commonStart(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one[length] === other[length]) length += 1;
  return length;
}

function commonEnd(one: string, other: string, start: number): number {
  const max = Math.min(one.length, other.length) - start;
  let length = 0;
  while (length < max && one[one.length - 1 - length] === other[other.length - 1 - length]) length += 1;
  return length;
}

import { visibleText } from '../parts/visible-text.ts';

const SHOWN_CHARACTERS = 120;

/** What a call is about, in a line: its first text, which for most tools is a path, a pattern or a command. */
export function summarizeInput(input: unknown): string {
  if (input === undefined) return '';
  const texts = typeof input === 'string' ? [input] : Object.values(input ?? {});
  return cut(texts.find((value) => typeof value === 'string') ?? JSON.stringify(input));
}

function cut(text: string): string {
  const line = visibleText(text.trim().replaceAll(/\s+/gu, ' '));
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)} …` : line;
}

import { UsageError } from '../usage-error.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a time such as `90s`, `30m`, `12h` or `7d`; `0` is none. @throws UsageError */
export function durationMs(option: string, text: string): number {
  const parts = /^(?<number>\d{1,6})(?<unit>[smhd])$/u.exec(text)?.groups;
  if (text === '0') return 0;
  const unit = UNITS[parts?.['unit'] ?? ''];
  if (unit === undefined)
    throw new UsageError(`--${option} takes a time such as 90s, 30m, 12h or 7d, not ${quoted(text)}.`);
  return Number(parts?.['number']) * unit;
}

/** @throws UsageError */
export function wholeNumber(
  option: string,
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const number = /^\d{1,12}$/u.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= to) return number;
  throw new UsageError(`--${option} takes a number from ${from} to ${to}, not ${quoted(text)}.`);
}

/** @throws UsageError */
export function oneOf<Choice extends string>(option: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`--${option} takes ${choices.join(', ')}; there is no ${quoted(text)}.`);
}

/** Everything in lists that are separated by commas; `undefined` without any. @throws UsageError for an empty entry */
export function commaList(option: string, texts: readonly string[] | undefined): readonly string[] | undefined {
  const entries = texts?.flatMap((text) => text.split(',').map((entry) => entry.trim()));
  if (entries?.includes('') === true) throw new UsageError(`--${option} has an empty entry: ${texts?.join(' ')}`);
  return entries;
}

/** Pairs such as `NAME=VALUE`. @throws UsageError */
export function pairs(option: string, texts: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const parts = /^(?<name>[A-Za-z_][A-Za-z0-9_]*)=(?<value>[^]*)$/u.exec(text)?.groups;
      if (parts === undefined) throw new UsageError(`--${option} takes NAME=VALUE, not ${quoted(text)}.`);
      return [parts['name'] ?? '', parts['value'] ?? ''];
    }),
  );
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

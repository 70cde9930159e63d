import type { SearchOutcome } from '../backend/search.ts';
import { type BuiltinOutcome, failure, success } from './define-builtin.ts';
import { formatCall } from './format-call.ts';

export const DEFAULT_HEAD_LIMIT = 250;
/** What `head_limit: 0` means: more than a model can use, and still bounded. */
const MAX_ENTRIES = 10_000;
const MAX_RESULT_BYTES = 100_000;

/** How many entries to ask the backend for. */
export function entryLimit(headLimit: number | undefined): number {
  return headLimit === 0 ? MAX_ENTRIES : Math.min(headLimit ?? DEFAULT_HEAD_LIMIT, MAX_ENTRIES);
}

export interface SearchPage {
  readonly tool: 'Glob' | 'Grep';
  /** As the model gave it; the next call is the same with another offset. */
  readonly input: Readonly<Record<string, unknown>> & { readonly offset?: number | undefined };
  /** One text for each entry, without a line end. */
  readonly entries: readonly string[];
  readonly outcome: SearchOutcome;
  /** What to say when there is nothing. */
  readonly nothing: string;
}

/** What a search found, and whether that is all of it. */
export function searchResult({ tool, input, entries, outcome, nothing }: SearchPage): BuiltinOutcome {
  const offset = input.offset ?? 0;
  const shown = fitting(entries);
  const next = outcome.isTruncated || shown < entries.length ? { ...input, offset: offset + shown } : undefined;
  const problems = outcome.isIncomplete ? ['The search is incomplete:', ...outcome.problems].join('\n- ') : '';
  const metadata = {
    count: shown,
    is_truncated: next !== undefined,
    is_incomplete: outcome.isIncomplete,
    ...(next === undefined ? {} : { next_call: { tool, input: next } }),
  };
  if (shown === 0) {
    // "Nothing" is only a result where everything was searched.
    if (outcome.isIncomplete) return failure(`Found nothing so far. ${problems}`, metadata);
    return success(offset === 0 ? nothing : `There is nothing past offset ${offset}.`, metadata);
  }
  const range = `${offset + 1} to ${offset + shown}`;
  const notes = [
    next === undefined ? '' : `[Truncated: these are results ${range}. There are more: ${formatCall(tool, next)}]`,
    problems === '' ? '' : `[${problems}]`,
  ].filter((note) => note !== '');
  const text = entries.slice(0, shown).join('\n');
  return success(notes.length === 0 ? text : `${text}\n\n${notes.join('\n')}`, metadata);
}

function fitting(entries: readonly string[]): number {
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    bytes += Buffer.byteLength(entry) + 1;
    if (bytes > MAX_RESULT_BYTES && index > 0) return index;
  }
  return entries.length;
}

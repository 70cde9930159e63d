import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contender, OpenContender } from './contenders/contender.ts';
import { measure, type MeasureOptions, type Subject } from './measure.ts';
import { makeRow, type Row } from './row.ts';

/** What a row may have beside its two times, by the name of what ours is compared with. */
export type Bars = Readonly<Record<string, { readonly bar?: number | undefined; readonly barMs?: number | undefined }>>;

export interface CompareOptions extends MeasureOptions {
  readonly name: string;
  /** Ours first. */
  readonly subjects: readonly Subject[];
  readonly bars?: Bars | undefined;
  /** How many calls a subject makes in one: rows are in calls per second then. */
  readonly batch?: number | undefined;
}

/** Measures in turns, and gives a row for each subject but the first. */
export async function compare(options: CompareOptions): Promise<readonly Row[]> {
  const medians = await measure(options.subjects, options);
  const [ours, ...others] = options.subjects;
  const { batch } = options;
  const valueOf = (name = ''): number => {
    const ms = medians.get(name) ?? Number.NaN;
    return batch === undefined ? ms : (batch * 1000) / ms;
  };
  return others.map(({ name: againstName }) =>
    makeRow({
      name: options.name,
      unit: batch === undefined ? 'ms' : 'calls/s',
      ours: valueOf(ours?.name),
      against: valueOf(againstName),
      againstName,
      ...options.bars?.[againstName],
    }),
  );
}

export interface CompareContendersOptions extends MeasureOptions {
  readonly name: string;
  /** Ours first. */
  readonly contenders: readonly OpenContender[];
  /** Directory that each contender gets a directory of its own in. */
  readonly scratch: string;
  /** One directory for all of them instead. */
  readonly sharedRoot?: string | undefined;
  /** How a contender does it; `undefined` where it cannot. */
  subject(contender: Contender): Promise<Subject['call'] | undefined>;
  readonly bars?: Bars | undefined;
}

/** Opens the contenders, compares those that can, and closes them. */
export async function compareContenders(options: CompareContendersOptions): Promise<readonly Row[]> {
  await using opened = new AsyncDisposableStack();
  const subjects: Subject[] = [];
  for (const [index, open] of options.contenders.entries()) {
    const root = options.sharedRoot ?? join(options.scratch, `${options.name}-${index}`);
    await mkdir(root, { recursive: true });
    const contender = opened.use(await open(root));
    const call = await options.subject(contender);
    if (call !== undefined) subjects.push({ name: contender.name, call });
  }
  return await compare({ ...options, subjects });
}

import { interruption } from './interruption.ts';

/** Something that is timed, call by call. */
export interface Subject {
  readonly name: string;
  /** Runs before each call, untimed. */
  readonly prepare?: (() => Promise<unknown>) | undefined;
  readonly call: () => Promise<unknown>;
  /** Runs after each call, untimed. */
  readonly finish?: (() => Promise<unknown>) | undefined;
}

export interface MeasureOptions {
  /** Timed calls of each subject. */
  readonly calls: number;
  /** Calls of each subject before the timed ones: compilers and caches settle. */
  readonly warmUpCalls: number;
  /**
   * For so many milliseconds before each timed call the subject makes others, where the calls of one
   * leave work behind that would slow those of the next. A rest would not do: whatever follows one is slow.
   */
  readonly settleMs?: number | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  if (upper === undefined || lower === undefined) throw new Error('The median of nothing.');
  return (lower + upper) / 2;
}

async function timeCall(subject: Subject, settleMs: number): Promise<number> {
  interruption.throwIfAborted();
  await subject.prepare?.();
  const settled = performance.now() + settleMs;
  while (performance.now() < settled) await subject.call();
  const begin = performance.now();
  await subject.call();
  const elapsed = performance.now() - begin;
  await subject.finish?.();
  return elapsed;
}

/**
 * The median time of one call of each subject, in milliseconds. Subjects take turns call by call, a
 * different one going first each time, so that whatever else the machine does meets all of them.
 */
export async function measure(
  subjects: readonly Subject[],
  options: MeasureOptions,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>(subjects.map((subject) => [subject.name, []]));
  for (let round = -options.warmUpCalls; round < options.calls; round += 1) {
    const first = (round + options.warmUpCalls) % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      const elapsed = await timeCall(subject, options.settleMs ?? 0);
      if (round >= 0) times.get(subject.name)?.push(elapsed);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

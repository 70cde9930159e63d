/** One comparison, as `--json` prints it. Times are medians; less is better. */
export interface Row {
  readonly name: string;
  readonly unit: 'ms';
  readonly ours: number;
  readonly against: number;
  readonly againstName: string;
  /** `ours / against`. */
  readonly ratio: number;
  /** The largest ratio that is good enough; `null` where a comparison only informs. */
  readonly bar: number | null;
  readonly holds: boolean | null;
}

export interface RowInput {
  readonly name: string;
  readonly oursMs: number;
  readonly againstMs: number;
  readonly againstName: string;
  readonly bar?: number | undefined;
  /** Good enough whatever the ratio. */
  readonly enoughMs?: number | undefined;
}

/** To four significant digits: more is noise. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}

export function makeRow({ name, oursMs, againstMs, againstName, bar, enoughMs }: RowInput): Row {
  const ratio = oursMs / againstMs;
  return {
    name,
    unit: 'ms',
    ours: round(oursMs),
    against: round(againstMs),
    againstName,
    ratio: round(ratio),
    bar: bar ?? null,
    holds: bar === undefined ? null : ratio <= bar || (enoughMs !== undefined && oursMs <= enoughMs),
  };
}

const COLUMNS = ['what', 'ours', 'against', '', 'ratio', 'bar', ''];
const NUMBERS = new Set([1, 2, 4, 5]);

/** The rows as a table for people. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${row.ours} ${row.unit}`,
    `${row.against} ${row.unit}`,
    row.againstName,
    `${row.ratio.toFixed(2)}×`,
    row.bar === null ? '' : `≤ ${row.bar}×`,
    row.holds === null ? '' : row.holds ? 'holds' : 'MISSED',
  ]);
  const widths = COLUMNS.map((_, column) => Math.max(...[COLUMNS, ...cells].map((line) => line[column]?.length ?? 0)));
  return [COLUMNS, ...cells]
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return NUMBERS.has(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

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
  /** So many milliseconds more than `against` are good enough, too; `null` where the ratio decides alone. */
  readonly barMs: number | null;
  readonly holds: boolean | null;
}

export interface RowInput {
  readonly name: string;
  readonly oursMs: number;
  readonly againstMs: number;
  readonly againstName: string;
  readonly bar?: number | undefined;
  readonly barMs?: number | undefined;
}

/** To four significant digits: more is noise. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}

export function makeRow({ name, oursMs, againstMs, againstName, bar, barMs }: RowInput): Row {
  const ratio = oursMs / againstMs;
  return {
    name,
    unit: 'ms',
    ours: round(oursMs),
    against: round(againstMs),
    againstName,
    ratio: round(ratio),
    bar: bar ?? null,
    barMs: barMs ?? null,
    holds: bar === undefined ? null : ratio <= bar || (barMs !== undefined && oursMs - againstMs <= barMs),
  };
}

const COLUMNS = ['what', 'ours', 'against', '', 'ratio', 'bar', ''];
const NUMBERS = new Set([1, 2, 4, 5]);

function barOf({ bar, barMs, unit }: Row): string {
  if (bar === null) return '';
  return barMs === null ? `≤ ${bar}×` : `≤ ${bar}× or +${barMs} ${unit}`;
}

/** The rows as a table for people. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${row.ours} ${row.unit}`,
    `${row.against} ${row.unit}`,
    row.againstName,
    `${row.ratio.toFixed(2)}×`,
    barOf(row),
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

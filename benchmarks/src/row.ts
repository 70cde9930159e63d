/** Of times and sizes less is better, of `calls/s` more. */
export type Unit = 'ms' | 'MiB' | 'calls/s';

/** One comparison of medians, as `--json` prints it. */
export interface Row {
  readonly name: string;
  readonly unit: Unit;
  readonly ours: number;
  readonly against: number;
  readonly againstName: string;
  /** `ours / against`. */
  readonly ratio: number;
  /** The largest ratio that is good enough, of `calls/s` the smallest; `null` where no ratio decides. */
  readonly bar: number | null;
  /** So many milliseconds more than `against` are good enough, too; `null` where no difference decides. */
  readonly barMs: number | null;
  /** Whether one of the bars is kept; `null` where a comparison only informs. */
  readonly holds: boolean | null;
}

export interface RowInput {
  readonly name: string;
  /** Default `ms`. */
  readonly unit?: Unit | undefined;
  readonly ours: number;
  readonly against: number;
  readonly againstName: string;
  readonly bar?: number | undefined;
  readonly barMs?: number | undefined;
}

/** To four significant digits: more is noise. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}

const isMoreBetter = (unit: Unit): boolean => unit === 'calls/s';

export function makeRow({ name, unit = 'ms', ours, against, againstName, bar, barMs }: RowInput): Row {
  const ratio = ours / against;
  const keepsRatio = bar !== undefined && (isMoreBetter(unit) ? ratio >= bar : ratio <= bar);
  const keepsDifference = barMs !== undefined && ours - against <= barMs;
  return {
    name,
    unit,
    ours: round(ours),
    against: round(against),
    againstName,
    ratio: round(ratio),
    bar: bar === undefined ? null : round(bar),
    barMs: barMs ?? null,
    holds: bar === undefined && barMs === undefined ? null : keepsRatio || keepsDifference,
  };
}

const COLUMNS = ['what', 'ours', 'against', '', 'ratio', 'bar', ''];
const NUMBERS = new Set([1, 2, 4, 5]);

function barOf({ bar, barMs, unit }: Row): string {
  const bars = [
    ...(bar === null ? [] : [`${isMoreBetter(unit) ? '≥' : '≤'} ${bar}×`]),
    ...(barMs === null ? [] : [`+${barMs} ms`]),
  ];
  return bars.join(' or ');
}

/** A twentieth is a ratio that two decimals would hide. */
function formatRatio(ratio: number): string {
  return `${ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2)}×`;
}

/** The rows as a table for people. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${row.ours} ${row.unit}`,
    `${row.against} ${row.unit}`,
    row.againstName,
    formatRatio(row.ratio),
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

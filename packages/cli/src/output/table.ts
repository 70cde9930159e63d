/** Columns as wide as what is in them. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [heads, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const STEPS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
] as const;

/** How long ago something was, such as `3h`. */
export function age(since: number, now: number): string {
  const ms = Math.max(0, now - since);
  const [size, unit] = STEPS.find(([step]) => ms >= step) ?? [1_000, 's'];
  return `${Math.floor(ms / size)}${unit}`;
}

/** A size such as `212 MB`. */
export function megabytes(sizeBytes: number): string {
  return `${Math.round(sizeBytes / 1_000_000)} MB`;
}

import { readFile } from 'node:fs/promises';

/** How often each value of a column is there, the most frequent first. */
export async function countValues(file, column) {
  const [header = [], ...rows] = parseCsv(await readFile(file, 'utf8'));
  const index = header.indexOf(column);
  if (index === -1) throw new Error(`${file} has no column ${column}. Its columns: ${header.join(', ')}.`);
  const counts = new Map();
  for (const row of rows) counts.set(row[index], (counts.get(row[index]) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return { rows: rows.length, counts: sorted };
}

/** The records of a CSV text: RFC 4180, with quoted fields and either line end. */
function parseCsv(text) {
  const records = [];
  let record = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gu)) {
    if (end === '' && record.length === 0 && (plain ?? '') === '' && quoted === undefined) break;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
    if (end === '') break;
  }
  return records;
}

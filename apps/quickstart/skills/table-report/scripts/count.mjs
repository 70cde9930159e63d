import { countValues } from './table.mjs';

const [file, column] = process.argv.slice(2);
if (file === undefined || column === undefined) {
  console.error('usage: node count.mjs FILE COLUMN');
  process.exit(2);
}
const { rows, counts } = await countValues(file, column);
for (const [value, count] of counts) console.log(`${value}\t${count}`);
console.log(`${rows} rows in all`);

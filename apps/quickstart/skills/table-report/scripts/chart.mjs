import { writeFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import { countValues } from './table.mjs';

const WIDTH = 640;
const HEIGHT = 320;
const BARS = 10;
const GAP = 8;
const PAPER = [0xff, 0xff, 0xff];
const INK = [0x2f, 0x6f, 0xb3];

const [file, column, output] = process.argv.slice(2);
if (file === undefined || column === undefined || output === undefined) {
  console.error('usage: node chart.mjs FILE COLUMN OUTPUT.png');
  process.exit(2);
}
const { counts } = await countValues(file, column);
const top = counts.slice(0, BARS);
await writeFile(output, png(drawBars(top.map(([, count]) => count))));
console.log(`${output}: ${top.map(([value, count]) => `${value} ${count}`).join(', ')}`);

/** Rows of RGB pixels, each with the filter byte that PNG wants in front. */
function drawBars(values) {
  const most = Math.max(...values);
  const barWidth = WIDTH / values.length;
  const rows = [];
  for (let y = 0; y < HEIGHT; y += 1) {
    const row = [0];
    for (let x = 0; x < WIDTH; x += 1) {
      const bar = Math.floor(x / barWidth);
      const isBar = x % barWidth >= GAP && HEIGHT - y <= (values[bar] / most) * (HEIGHT - GAP);
      row.push(...(isBar ? INK : PAPER));
    }
    rows.push(Buffer.from(row));
  }
  return Buffer.concat(rows);
}

function png(pixels) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND')]);
}

function chunk(type, data = Buffer.alloc(0)) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

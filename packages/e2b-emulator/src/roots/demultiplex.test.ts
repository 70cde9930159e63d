import { Duplex, PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { demultiplex } from './demultiplex.ts';

const frame = (stream: number, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(text.length, 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

it('takes two outputs apart, wherever the chunks end', async () => {
  const source = new PassThrough();
  const stdout = new PassThrough().setEncoding('utf8');
  const stderr: string[] = [];
  demultiplex(Duplex.from(source), { stdout, onStderr: (text) => stderr.push(text) });
  const bytes = Buffer.concat([frame(1, 'one'), frame(2, 'problem\n'), frame(1, ' two')]);
  for (const byte of bytes) source.write(Buffer.from([byte]));
  await expect.poll(() => stdout.readableLength).toBe(7);
  expect([stdout.read(), stderr]).toEqual(['one two', ['problem']]);
});

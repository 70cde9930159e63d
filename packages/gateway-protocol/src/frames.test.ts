import { describe, expect, it } from 'vitest';
import { decodeFrames, type DecodeFramesOptions, encodeFrame, type Frame } from './frames.ts';

const invalid = (reason: string): Error => new Error(reason);

async function decode(
  chunks: Iterable<Uint8Array | string>,
  options: Partial<DecodeFramesOptions> = {},
): Promise<readonly Frame[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  return Array.fromAsync(decodeFrames(body(), { maxFrameBytes: 1_000, invalid, ...options }));
}

const frames = [
  { header: { type: 'a', text: 'ü\n' }, bytes: Buffer.from('1\n2\n') },
  { header: {}, bytes: Buffer.alloc(0) },
  { header: { nested: { list: [1] } }, bytes: Buffer.from([0, 255, 10, 13]) },
];
const encoded = Buffer.concat(frames.map(({ header, bytes }) => encodeFrame(header, bytes)));
const expected = frames.map(({ header, bytes }) => ({ header, bytes: [...bytes] }));
const plain = (decoded: readonly Frame[]): unknown =>
  decoded.map(({ header, bytes }) => ({ header, bytes: [...bytes] }));

describe('frames', () => {
  it('are a line of JSON and raw bytes', () => {
    expect(encodeFrame({ type: 'x', absent: undefined, limit: Infinity }, Buffer.from('ab')).toString()).toBe(
      '{"type":"x","limit":9007199254740991,"bytes":2}\nab',
    );
  });

  it.each([1, 2, 3, 7, encoded.length])('come back whatever the chunks are: %i bytes each', async (size) => {
    const chunks = Array.from({ length: Math.ceil(encoded.length / size) }, (_, index) =>
      encoded.subarray(index * size, (index + 1) * size),
    );
    expect(plain(await decode(chunks))).toStrictEqual(expected);
  });

  it('come as soon as they are whole', async () => {
    let sent = 0;
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const { header, bytes } of frames) {
        sent += 1;
        yield encodeFrame(header, bytes);
      }
    }
    const iterator = decodeFrames(body(), { maxFrameBytes: 10, invalid });
    await iterator.next();
    expect(sent).toBe(1);
    await iterator.return();
    expect(sent).toBe(1);
  });

  it.each([
    ['rubbish\n', 'is not JSON'],
    [Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), 'is not JSON'],
    ['[]\n', 'no object'],
    ['{}\n', 'how many bytes'],
    ['{"bytes":-1}\n', 'how many bytes'],
    ['{"bytes":1.5}\n', 'how many bytes'],
    ['{"bytes":"1"}\n', 'how many bytes'],
    ['{"bytes":1001}\n', 'at most 1000'],
    ['{"bytes":4}\nabc', 'in the middle'],
    ['{"bytes":4', 'in the middle'],
    ['x'.repeat(65 * 1024), 'more than 65536'],
    [`{"x":"${'x'.repeat(65 * 1024)}","bytes":0}\n`, 'more than 65536'],
  ])('refuse what is none: %j', async (body, reason) => {
    await expect(decode([body])).rejects.toThrow(reason);
  });

  it('stop at the limit of all together', async () => {
    await expect(decode(Array<string>(5).fill('{"bytes":1}\na'), { maxTotalBytes: 50 })).rejects.toThrow(
      'more than 50',
    );
  });
});

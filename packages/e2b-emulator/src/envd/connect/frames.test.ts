import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ConnectError } from './connect-error.ts';
import { gunzip } from './compression.ts';
import { decodeFrames, encodeFrame, parseJson } from './frames.ts';

const decode = (...chunks: Buffer[]): Promise<unknown[]> =>
  Array.fromAsync(decodeFrames(Readable.from(chunks) as AsyncIterable<Buffer>));

describe('encodeFrame', () => {
  it('puts flags and a length of four bytes before the JSON', async () => {
    expect(await encodeFrame({ a: 1 })).toEqual(Buffer.from('\0\0\0\0\x07{"a":1}'));
  });

  it('marks the last one', async () => {
    expect(await encodeFrame({}, { isEnd: true })).toEqual(Buffer.from('\x02\0\0\0\x02{}'));
  });

  it('compresses, and marks that too', async () => {
    const frame = await encodeFrame({ a: 1 }, { isCompressed: true, isEnd: true });
    expect(frame.readUInt8(0)).toBe(3);
    expect(frame.readUInt32BE(1)).toBe(frame.length - 5);
    expect(String(await gunzip(frame.subarray(5)))).toBe('{"a":1}');
  });
});

describe('decodeFrames', () => {
  it('reads frames however the bytes are cut', async () => {
    const bytes = Buffer.concat([await encodeFrame({ a: 'ü' }), await encodeFrame({ b: 2 }, { isCompressed: true })]);
    expect(await decode(bytes)).toEqual([{ a: 'ü' }, { b: 2 }]);
    expect(await decode(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual([{ a: 'ü' }, { b: 2 }]);
    expect(await decode()).toEqual([]);
  });

  it.each([
    ['a frame that is cut short', Buffer.from('\0\0\0\0\x07{"a"')],
    ['a head that is cut short', Buffer.from('\0\0')],
    ['unknown flags', Buffer.from('\x04\0\0\0\x02{}')],
    ['an end, which only an answer has', Buffer.from('\x02\0\0\0\x02{}')],
    ['what is not JSON', Buffer.from('\0\0\0\0\x02{]')],
    ['a frame of nothing', Buffer.from('\0\0\0\0\0')],
    ['what is not gzip', Buffer.from('\x01\0\0\0\x02{}')],
  ])('refuses %s', async (_, bytes) => {
    const error: unknown = await decode(bytes).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toHaveProperty('code', 'invalid_argument');
  });
});

describe('parseJson', () => {
  it('refuses nothing at all', () => {
    expect(() => parseJson(Buffer.alloc(0))).toThrow('zero-length payload is not a valid JSON object');
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bytes, parseRequest, uint32 } from './parse-request.ts';

const schema = z.object({ pid: uint32.optional(), input: bytes.default(Buffer.from('none')) });

describe('parseRequest', () => {
  it('takes numbers as text, bytes as base64 in either alphabet, and what it does not know', () => {
    expect(parseRequest(schema, { pid: '42', input: '-_8', later: true })).toEqual({
      pid: 42,
      input: Buffer.from([0xfb, 0xff]),
    });
    expect(parseRequest(schema, { pid: 7, input: '+/8=' })).toEqual({ pid: 7, input: Buffer.from([0xfb, 0xff]) });
  });

  it('takes null for a field that is not there', () => {
    expect(parseRequest(schema, { pid: null, input: null })).toEqual({ input: Buffer.from('none') });
  });

  it.each([
    [{ pid: -1 }, 'pid'],
    [{ pid: 2 ** 32 }, 'pid'],
    [{ pid: 1.5 }, 'pid'],
    [{ pid: 'x' }, 'pid'],
    [{ input: '*' }, 'input'],
  ])('refuses %j', (request, field) => {
    expect(() => parseRequest(schema, request)).toThrow(`unmarshal message: invalid value for field ${field}: `);
  });

  it('refuses what is no message', () => {
    expect(() => parseRequest(schema, [1])).toThrow('unmarshal message: invalid value: ');
  });
});

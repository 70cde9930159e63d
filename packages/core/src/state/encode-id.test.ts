import { describe, expect, it } from 'vitest';
import { IdInvalidError } from '../errors/id-invalid-error.ts';
import { encodeId, encodeToolCallId, isSafeVerbatimName } from './encode-id.ts';

describe('encodeId', () => {
  it.each(['a', 'chat-1', '0_x', 'a'.repeat(64)])('leaves %j as it is', (id) => {
    expect(encodeId(id)).toBe(id);
  });

  it.each([
    ['A', '%41'],
    ['a b', 'a%20b'],
    ['../x', '%2E%2E%2Fx'],
    ['-x', '%2Dx'],
    ['_x', '%5Fx'],
    ['%41', '%2541'],
    ['é', '%C3%A9'],
    ['a\0b', 'a%00b'],
    ['con', '%63on'],
    ['LPT1', '%4CPT1'],
  ])('writes %j as %j', (id, name) => {
    expect(encodeId(id)).toBe(name);
  });

  it('makes a prefix and a hash of what would be too long, different for each', () => {
    const [one, two] = [encodeId(`${'x'.repeat(150)}1`), encodeId(`${'x'.repeat(150)}2`)];
    expect(one).toMatch(/^x{40}~[0-9a-f]{64}$/);
    expect(one).not.toBe(two);
    expect(encodeId('你'.repeat(100))).toMatch(/^[%0-9A-F]{40}~[0-9a-f]{64}$/);
  });

  it.each(['', '\ud800'])('refuses %j', (id) => {
    expect(() => encodeId(id)).toThrow(IdInvalidError);
  });
});

describe('encodeToolCallId', () => {
  it('keeps capitals', () => {
    expect(encodeToolCallId('call_AbC-1')).toBe('call_AbC-1');
    expect(encodeToolCallId('call:1')).toBe('call%3A1');
  });
});

describe('isSafeVerbatimName', () => {
  it.each(['Chat 1', 'Ünï', 'a.b', 'a$(touch P)'])('takes over %j', (name) => {
    expect(isSafeVerbatimName(name)).toBe(true);
  });

  it.each(['../x', '.', '..', '.hidden', 'a/b', 'a\\b', 'a\nb', '%41', `x~${'0'.repeat(64)}`, 'nul', 'x'.repeat(121)])(
    'does not take over %j',
    (name) => {
      expect(isSafeVerbatimName(name)).toBe(false);
    },
  );
});

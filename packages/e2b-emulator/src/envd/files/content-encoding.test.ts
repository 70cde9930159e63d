import { describe, expect, it } from 'vitest';
import { chooseEncoding, uploadEncoding } from './content-encoding.ts';

describe('chooseEncoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['br', 'identity'],
    ['gzip;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['*', 'identity'],
    ['*, identity;q=0', 'gzip'],
  ])('%j takes %s', (header, expected) => {
    expect(chooseEncoding({ 'accept-encoding': header }, false)).toBe(expected);
  });

  it.each([
    ['br, identity;q=0', false],
    ['*;q=0', false],
    ['gzip;q=1, *;q=0', true],
    ['gzip, identity;q=0', true],
  ])('%j accepts nothing that can be sent (identity only: %s)', (header, takesIdentityOnly) => {
    expect(() => chooseEncoding({ 'accept-encoding': header }, takesIdentityOnly)).toThrow(
      expect.objectContaining({ status: 406 }),
    );
  });

  it('compresses no part of a file', () => {
    expect(chooseEncoding({ 'accept-encoding': 'gzip' }, true)).toBe('identity');
  });
});

describe('uploadEncoding', () => {
  it('takes gzip and nothing else', () => {
    expect(uploadEncoding({})).toBe('identity');
    expect(uploadEncoding({ 'content-encoding': 'identity' })).toBe('identity');
    expect(uploadEncoding({ 'content-encoding': 'GZip' })).toBe('gzip');
    expect(() => uploadEncoding({ 'content-encoding': 'br' })).toThrow('unsupported Content-Encoding: br');
  });
});

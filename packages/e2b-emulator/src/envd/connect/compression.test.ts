import { describe, expect, it } from 'vitest';
import { acceptsGzip, isGzip } from './compression.ts';

describe('acceptsGzip', () => {
  it.each(['gzip', 'gzip, deflate', 'br, gzip;q=0.5', ' deflate , gzip ; q=1.0'])('is true for %j', (accepted) => {
    expect(acceptsGzip(accepted)).toBe(true);
  });

  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip;q=0.00', 'xgzip'])('is false for %j', (accepted) => {
    expect(acceptsGzip(accepted)).toBe(false);
  });
});

describe('isGzip', () => {
  it('takes gzip and nothing', () => {
    expect(isGzip({ 'content-encoding': 'gzip' }, 'content-encoding')).toBe(true);
    expect(isGzip({ 'content-encoding': 'identity' }, 'content-encoding')).toBe(false);
    expect(isGzip({}, 'connect-content-encoding')).toBe(false);
  });

  it('refuses another encoding', () => {
    expect(() => isGzip({ 'connect-content-encoding': 'zstd' }, 'connect-content-encoding')).toThrow(
      'unknown compression "zstd": supported encodings are gzip',
    );
  });
});

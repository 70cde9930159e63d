import { describe, expect, it } from 'vitest';
import { readTimeoutMs } from './call-deadline.ts';

describe('readTimeoutMs', () => {
  it('takes up to ten digits, or nothing', () => {
    expect(readTimeoutMs({ 'connect-timeout-ms': '60000' })).toBe(60_000);
    expect(readTimeoutMs({ 'connect-timeout-ms': '9999999999' })).toBe(9_999_999_999);
    expect(readTimeoutMs({})).toBeUndefined();
  });

  it.each(['soon', '-1', '1.5', '12345678901'])('refuses %j', (timeout) => {
    expect(() => readTimeoutMs({ 'connect-timeout-ms': timeout })).toThrow('Connect-Timeout-Ms');
  });
});

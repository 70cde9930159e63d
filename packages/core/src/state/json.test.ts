import { describe, expect, it } from 'vitest';
import { parseJsonLosslessly } from './json.ts';

describe('parseJsonLosslessly', () => {
  it('brings back integers that a double cannot hold', () => {
    const text = '{"id":12345678901234567890,"near":9007199254740993,"small":-7,"real":0.1,"list":[1e3]}';
    expect(JSON.stringify(parseJsonLosslessly(text))).toBe(text.replace('1e3', '1000'));
  });

  it('leaves other numbers as numbers', () => {
    expect(parseJsonLosslessly('{"a":12.5,"b":30}')).toEqual({ a: 12.5, b: 30 });
  });
});

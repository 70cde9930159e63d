import { describe, expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

describe('estimateTokens', () => {
  it('counts four bytes as a token', () => {
    expect(estimateTokens('a'.repeat(400))).toBe(100);
    expect(estimateTokens('你好世界')).toBe(3);
  });

  it('counts media as one image each, however many bytes they have', () => {
    const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'A'.repeat(400_000) } } as const;
    const tokens = estimateTokens([{ role: 'user', content: [image, image] }]);
    expect(tokens).toBeGreaterThanOrEqual(3_200);
    expect(tokens).toBeLessThan(3_300);
  });

  it('counts bytes, too, and documents given as text by their length', () => {
    const bytes = { type: 'image', image: new Uint8Array(1_000_000) } as const;
    expect(estimateTokens([{ role: 'user', content: [bytes] }])).toBeLessThan(1_700);
    const note = { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'a'.repeat(40_000) } } as const;
    expect(estimateTokens([{ role: 'user', content: [note] }])).toBeGreaterThan(10_000);
  });
});

import { describe, expect, it } from 'vitest';
import type { CapturedOutput } from '../../backend/process.ts';
import { cutOutput } from './cut-output.ts';

function whole(text: string): CapturedOutput {
  const head = Buffer.from(text);
  return { head, tail: new Uint8Array(), droppedBytes: 0, totalBytes: head.length };
}

function capped(text: string, kept: number): CapturedOutput {
  const bytes = Buffer.from(text);
  return {
    head: bytes.subarray(0, kept),
    tail: bytes.subarray(bytes.length - kept),
    droppedBytes: bytes.length - 2 * kept,
    totalBytes: bytes.length,
  };
}

describe('cutOutput', () => {
  it('leaves alone what fits', () => {
    expect(cutOutput(whole('日本\n'), 3)).toEqual({ text: '日本\n', leftOutBytes: 0 });
    expect(cutOutput(whole(''), 0)).toEqual({ text: '', leftOutBytes: 0 });
  });

  it('cuts between lines', () => {
    const text = '111\n222\n333\n444\n555\n666\n';
    expect(cutOutput(whole(text), 18)).toEqual({
      text: '111\n222\n[… 8 bytes left out here …]\n555\n666\n',
      leftOutBytes: 8,
    });
  });

  it('cuts a long line between code points', () => {
    const { text, leftOutBytes } = cutOutput(whole('é'.repeat(100)), 10);
    expect(text).toBe(`${'é'.repeat(5)}\n[… 180 bytes left out here …]\n${'é'.repeat(5)}`);
    expect(leftOutBytes).toBe(180);
  });

  it('counts what was dropped before it came here', () => {
    const { text, leftOutBytes } = cutOutput(capped('日'.repeat(1_000), 100), 20);
    expect(text).toBe(`${'日'.repeat(10)}\n[… 2,940 bytes left out here …]\n${'日'.repeat(10)}`);
    expect(leftOutBytes).toBe(2_940);
  });

  it('shows no halves of code points where little was captured', () => {
    const { text, leftOutBytes } = cutOutput(capped('日'.repeat(100), 4), 20);
    expect(text).toBe('日\n[… 294 bytes left out here …]\n日');
    expect(leftOutBytes).toBe(294);
  });
});

import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { splitHistory } from './split-history.ts';

const user: ModelMessage = { role: 'user', content: 'go on' };
const call = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'T', input: {} })),
});
const result = (...ids: string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'T',
    output: { type: 'text', value: '' },
  })),
});
const always = { fits: (): boolean => true };

describe('splitHistory', () => {
  it('keeps as many messages as asked for', () => {
    expect(splitHistory([user, user, user, user], { keepLast: 2, ...always })).toBe(2);
  });

  it('[O07] keeps a few more rather than part calls from their results', () => {
    const history = [user, call('a', 'b'), result('a'), result('b'), user];
    expect(splitHistory(history, { keepLast: 2, ...always })).toBe(1);
    expect(splitHistory(history, { keepLast: 1, ...always })).toBe(4);
  });

  it('keeps what waits for an approval and all after it', () => {
    expect(splitHistory([user, user, call('a'), user, user, user], { keepLast: 2, ...always })).toBe(2);
  });

  it('tells calls apart whose id comes again', () => {
    expect(splitHistory([user, call('a'), result('a'), call('a'), result('a')], { keepLast: 2, ...always })).toBe(3);
  });

  it('keeps fewer where those asked for do not fit, and the last unit always', () => {
    const history = [user, call('a'), result('a'), call('b'), result('b'), call('c'), result('c')];
    expect(splitHistory(history, { keepLast: 6, fits: (kept) => kept.length <= 4 })).toBe(3);
    expect(splitHistory(history, { keepLast: 6, fits: () => false })).toBe(5);
  });

  it('finds nowhere to cut a single message, or one open call', () => {
    expect(splitHistory([user], { keepLast: 1, ...always })).toBeUndefined();
    expect(splitHistory([call('a'), user], { keepLast: 1, ...always })).toBeUndefined();
  });
});

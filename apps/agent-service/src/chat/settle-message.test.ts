import type { UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { settleMessage } from './settle-message.ts';

type Part = UIMessage['parts'][number];

const call = (rest: object): Part => ({ type: 'dynamic-tool', toolName: 'Write', toolCallId: 'c', ...rest }) as Part;
const settle = (part: Part, keepsApprovals = true): Part | undefined =>
  settleMessage({ id: 'm', role: 'assistant', parts: [part] }, { reason: 'It broke off.', keepsApprovals }).parts[0];

describe('settleMessage', () => {
  it.each(['input-available', 'input-streaming'])('gives a call with %s an error for its result', (state) => {
    expect(settle(call({ state, input: { a: 1 } }))).toEqual(
      call({ state: 'output-error', input: { a: 1 }, errorText: 'It broke off.' }),
    );
  });

  it('gives a call whose input had not begun an input, too', () => {
    expect(settle(call({ state: 'input-streaming', input: undefined }))).toMatchObject({
      state: 'output-error',
      input: {},
    });
  });

  it('does not take the last of what a call has shown for its result', () => {
    const preliminary = call({ state: 'output-available', input: {}, output: 'half', preliminary: true });
    expect(settle(preliminary)).toEqual(call({ state: 'output-error', input: {}, errorText: 'It broke off.' }));
    const whole = call({ state: 'output-available', input: {}, output: 'all' });
    expect(settle(whole)).toBe(whole);
  });

  it('has an approved call that has no result fail, and a denied one denied', () => {
    const approved = call({ state: 'approval-responded', input: {}, approval: { id: 'a', approved: true } });
    expect(settle(approved)).toMatchObject({ state: 'output-error', errorText: 'It broke off.' });
    const denied = call({ state: 'approval-responded', input: {}, approval: { id: 'a', approved: false } });
    expect(settle(denied)).toMatchObject({ state: 'output-denied' });
  });

  it('leaves what waits for an approval alone, or denies it', () => {
    const waiting = call({ state: 'approval-requested', input: {}, approval: { id: 'a' } });
    expect(settle(waiting)).toBe(waiting);
    expect(settle(waiting, false)).toMatchObject({
      state: 'output-denied',
      approval: { id: 'a', approved: false, reason: 'It broke off.' },
    });
  });

  it('ends a text that was on its way', () => {
    expect(settle({ type: 'text', text: 'Hel', state: 'streaming' })).toEqual({
      type: 'text',
      text: 'Hel',
      state: 'done',
    });
  });
});

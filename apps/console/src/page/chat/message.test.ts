import { expect, it } from 'vitest';
import { toChatMessage } from './message.ts';

it('has what is shown, and all calls in one form, whether their tools are known beforehand or not', () => {
  const call = { toolCallId: 'c1', state: 'input-available', input: {} } as const;
  const step = { type: 'step-start' } as const;
  const text = { type: 'text', text: 'Hi' } as const;
  const dynamic = { ...call, type: 'dynamic-tool', toolName: 'mcp__x__y' } as const;
  const message = {
    id: 'm1',
    role: 'assistant',
    parts: [step, text, { ...call, type: 'tool-Write' }, step, dynamic],
  } as const;
  expect(toChatMessage(message).parts).toStrictEqual([
    text,
    { ...call, type: 'dynamic-tool', toolName: 'Write' },
    dynamic,
  ]);
});

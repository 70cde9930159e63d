import { describe, expect, it } from 'vitest';
import { applyChunk, type Chunk } from './apply-chunk.ts';
import { type ChatMessage, pendingCalls } from './message.ts';

const EMPTY: ChatMessage = { id: 'local', role: 'assistant', parts: [] };

const apply = (...chunks: readonly Chunk[]): ChatMessage => chunks.reduce(applyChunk, EMPTY);

describe('applyChunk', () => {
  it('grows texts, each by its own id, which later steps use again', () => {
    const message = apply(
      { type: 'start', messageId: 'm1' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Hel' },
      { type: 'text-delta', id: '1', delta: 'lo' },
      { type: 'text-end', id: '1' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
    );
    expect(message).toStrictEqual({
      id: 'm1',
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Hello', state: 'done', streamId: '1' },
        { type: 'reasoning', text: 'Hm.', state: 'streaming', streamId: '1' },
      ],
    });
  });

  it('carries a call from its input to its output', () => {
    const call = { toolCallId: 'c1', toolName: 'Read' };
    const message = apply(
      { type: 'tool-input-start', ...call },
      { type: 'tool-input-available', ...call, input: { file_path: 'a' } },
      { type: 'tool-output-available', toolCallId: 'c1', output: 'b' },
    );
    expect(message.parts).toStrictEqual([
      { type: 'dynamic-tool', ...call, state: 'output-available', input: { file_path: 'a' }, output: 'b' },
    ]);
  });

  it('has a call wait for approval, and then not', () => {
    const asked = apply(
      { type: 'tool-input-available', toolCallId: 'c1', toolName: 'Write', input: {} },
      { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'a1' },
    );
    expect(pendingCalls([asked]).map(({ approval }) => approval)).toStrictEqual([{ id: 'a1' }]);
    const answered = applyChunk(asked, { type: 'tool-approval-response', approvalId: 'a1', approved: false });
    expect(pendingCalls([answered])).toStrictEqual([]);
    expect(applyChunk(answered, { type: 'tool-output-denied', toolCallId: 'c1' }).parts).toStrictEqual([
      {
        type: 'dynamic-tool',
        toolCallId: 'c1',
        toolName: 'Write',
        state: 'output-denied',
        input: {},
        approval: { id: 'a1', approved: false },
      },
    ]);
  });

  it('passes over chunks that it does not know', () => {
    expect(applyChunk(EMPTY, { type: 'data-weather' } as unknown as Chunk)).toBe(EMPTY);
  });
});

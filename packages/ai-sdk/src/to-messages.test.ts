import { parseMessage } from '@agent-workspace/core';
import type { ModelMessage, ToolResultPart } from 'ai';
import { describe, expect, it } from 'vitest';
import { toMessages } from './to-messages.ts';

const png = 'iVBORw0KGgo=';

describe('toMessages', () => {
  it('makes messages that AgentScope has, one for one', () => {
    const history: ModelMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is this?' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'Read', input: { a: 1 } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'Read', output: { type: 'text', value: 'ok' } }],
      },
    ];
    const messages = toMessages(history);
    expect(messages.map(({ role, name }) => [role, name])).toEqual([
      ['system', 'system'],
      ['user', 'user'],
      ['assistant', 'assistant'],
      ['assistant', 'assistant'],
    ]);
    expect(messages[2]?.content).toEqual([
      { type: 'tool_call', id: 'c1', name: 'Read', input: '{"a":1}', state: 'finished' },
    ]);
    expect(messages[3]?.content).toEqual([
      { type: 'tool_result', id: 'c1', name: 'Read', output: 'ok', state: 'success' },
    ]);
    for (const message of messages) expect(parseMessage(message)).toEqual(message);
  });

  it('takes every kind of part', () => {
    const history: ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image', image: Buffer.from(png, 'base64'), mediaType: 'image/png' },
          { type: 'image', image: new URL('https://example.com/a.png') },
          { type: 'file', data: `data:image/png;base64,${png}`, mediaType: 'image/*', filename: 'a.png' },
          { type: 'file', data: { type: 'text', text: 'a note' }, mediaType: 'text/plain', filename: 'n.txt' },
          { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'application/pdf' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } },
          { type: 'reasoning-file', data: png, mediaType: 'image/png' },
          { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { id: 'x' } } },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'Bash', input: { command: 'ls' } },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: false }] },
    ];
    const [user, assistant, approval] = toMessages(history);
    const base64 = { type: 'base64', data: png, media_type: 'image/png' };
    expect(user?.content).toMatchObject([
      { type: 'text', text: 'look' },
      { type: 'data', source: base64 },
      { type: 'data', source: { type: 'url', url: 'https://example.com/a.png', media_type: 'image/*' } },
      { type: 'data', source: base64, name: 'a.png' },
      { type: 'text', text: 'a note', name: 'n.txt' },
      { type: 'data', source: { type: 'url', url: 'provider-file:///openai/file-1' } },
    ]);
    expect(assistant?.content).toMatchObject([
      { type: 'thinking', thinking: 'hm', provider_options: { anthropic: { signature: 's' } } },
      { type: 'data', source: base64 },
      { type: 'hint', source: 'custom', provider_options: { openai: { id: 'x' } } },
      { type: 'tool_call', id: 'c1', state: 'asking' },
      { type: 'hint', source: 'tool-approval-request' },
    ]);
    expect(approval?.content).toMatchObject([
      { type: 'hint', hint: '{"approvalId":"a1","approved":false,"type":"tool-approval-response"}' },
    ]);
    for (const message of toMessages(history)) expect(parseMessage(message)).toEqual(message);
  });

  it.each([
    [{ type: 'text', value: 't' }, 't', 'success'],
    [{ type: 'json', value: { a: 1 } }, '{"a":1}', 'success'],
    [{ type: 'error-text', value: 'no' }, 'no', 'error'],
    [{ type: 'error-json', value: { e: 1 } }, '{"e":1}', 'error'],
    [{ type: 'execution-denied', reason: 'not now' }, 'not now', 'denied'],
  ] as const)('keeps the tool output %j', (output, text, state) => {
    const part = { type: 'tool-result', toolCallId: 'c', toolName: 'T', output } as const;
    const [message] = toMessages([{ role: 'tool', content: [part] }]);
    expect(message?.content).toMatchObject([{ type: 'tool_result', output: text, state }]);
  });

  it('keeps text and media of a tool output', () => {
    const part: ToolResultPart = {
      type: 'tool-result',
      toolCallId: 'c',
      toolName: 'T',
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'a chart' },
          { type: 'file', data: { type: 'data', data: png }, mediaType: 'image/png', filename: 'c.png' },
          { type: 'image-url', url: 'https://example.com/b.png' },
          { type: 'file-id', fileId: { openai: 'f' } },
          { type: 'custom', providerOptions: { a: { b: 1 } } },
        ],
      },
    };
    const [message] = toMessages([{ role: 'tool', content: [part] }]);
    expect(message?.content).toMatchObject([
      {
        output: [
          { type: 'text', text: 'a chart' },
          { type: 'data', source: { type: 'base64', data: png, media_type: 'image/png' }, name: 'c.png' },
          { type: 'data', source: { type: 'url', url: 'https://example.com/b.png' } },
          { type: 'data', source: { type: 'url', url: 'provider-file:///openai/f' } },
          { type: 'text', text: '{"a":{"b":1}}' },
        ],
      },
    ]);
  });

  it('gives the same message at the same place the same id, and any other another', () => {
    const yes: ModelMessage = { role: 'user', content: 'yes' };
    const [first, second] = toMessages([yes, yes]);
    expect(first?.id).toMatch(/^[0-9a-f]{32}$/u);
    expect(second?.id).not.toBe(first?.id);
    expect(toMessages([{ content: 'yes', role: 'user' }])[0]).toEqual(first);
    expect(toMessages([yes], { startPosition: 1 })[0]).toEqual(second);
  });
});

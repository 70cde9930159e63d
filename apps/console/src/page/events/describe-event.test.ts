import { describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../api/types.ts';
import { describeEvent, toneOf } from './describe-event.ts';

const AT = '2026-01-01T00:00:00.000Z';

describe.each<[string, string, Pick<ServiceEvent, 'type'> & Readonly<Record<string, unknown>>]>([
  [
    'Bash · success · 20 ms',
    'good',
    { type: 'tool-ended', tool: 'Bash', toolCallId: 'c1', state: 'success', durationMs: 20 },
  ],
  ['Bash', 'busy', { type: 'tool-started', tool: 'Bash', agentId: 'coder' }],
  [
    'Bash · stderr · one two',
    'quiet',
    { type: 'tool-output', tool: 'Bash', stream: 'stderr', text: 'one\ntwo\n', isCut: false },
  ],
  [
    'db · failed: it exited.',
    'bad',
    { type: 'mcp-state-changed', name: 'db', state: { kind: 'failed', reason: 'it exited.' } },
  ],
  ['awaiting-approval · 1.5 s', 'busy', { type: 'chat-ended', outcome: 'awaiting-approval', durationMs: 1_500 }],
  ['sessions/s1/r.txt · 1.2 MB', 'quiet', { type: 'data-offloaded', path: 'sessions/s1/r.txt', sizeBytes: 1_200_000 }],
  ['context.jsonl · messages 4', 'quiet', { type: 'context-offloaded', path: 'context.jsonl', messages: 4 }],
  ['count 7', 'bad', { type: 'missed', count: 7 }],
])('%s', (line, tone, event) => {
  it(`is told of ${event.type}`, () => {
    expect(describeEvent({ ...event, at: AT })).toBe(line);
  });

  it(`looks ${tone}`, () => {
    expect(toneOf({ ...event, at: AT })).toBe(tone);
  });
});

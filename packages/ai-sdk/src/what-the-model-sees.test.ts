import type { Tool, ToolChunk, ToolResultState } from '@agent-workspace/core';
import type { Permissions } from '@agent-workspace/toolkit';
import { generateText, isStepCount } from 'ai';
import { describe, expect, it } from 'vitest';
import { type MemorySession, memorySession } from '../test/support/memory-session.ts';
import { scriptedModel } from '../test/support/scripted-model.ts';
import { workspaceTools } from './workspace-tools.ts';

const png = 'iVBORw0KGgo=';
const chunk = (text: string, id: string, state: ToolResultState = 'success'): ToolChunk => ({
  content: [{ type: 'text', id, text }],
  state,
  isLast: state !== 'running',
  metadata: {},
});

function toolThat(chunks: () => AsyncIterable<ToolChunk>): Tool {
  return {
    name: 'Work',
    description: 'Works.',
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    isReadOnly: false,
    isConcurrencySafe: false,
    isSelfPaging: false,
    call: chunks,
  };
}

interface Seen {
  readonly session: MemorySession;
  /** What the model was sent as the result of its call. */
  readonly output: unknown;
  readonly sentBytes: number;
}

async function seenOf(
  chunks: () => AsyncIterable<ToolChunk>,
  options: { readonly input?: unknown; readonly permissions?: Permissions } = {},
): Promise<Seen> {
  const session = memorySession({ tools: [toolThat(chunks)], scope: { sessionId: 'chat' } });
  const model = scriptedModel([{ tool: 'Work', input: options.input ?? {}, id: 'call-1' }], 'Done.');
  await generateText({
    model,
    tools: await workspaceTools({ session, permissions: options.permissions }),
    stopWhen: isStepCount(2),
    prompt: 'go',
  });
  const prompt = model.doGenerateCalls[1]?.prompt ?? [];
  const last = prompt.at(-1);
  const part = last?.role === 'tool' ? last.content[0] : undefined;
  return {
    session,
    output: part?.type === 'tool-result' ? part.output : undefined,
    sentBytes: Buffer.byteLength(JSON.stringify(prompt)),
  };
}

describe('what the model sees', () => {
  it('of a thousand chunks of one text: the whole text once', async () => {
    const { output, session } = await seenOf(async function* thousand() {
      for (let n = 0; n < 1_000; n += 1) yield chunk(`${n},`, 'one', n === 999 ? 'success' : 'running');
    });
    const numbers = Array.from({ length: 1_000 }, (_, n) => `${n},`).join('');
    expect(output).toEqual({ type: 'text', value: numbers });
    expect(session.toolResults.size).toBe(0);
  });

  it('of a thousand pieces of news: nothing but the result', async () => {
    const { output } = await seenOf(async function* news() {
      for (let progress = 0; progress < 1_000; progress += 1) {
        yield { content: [], state: 'running', isLast: false, metadata: { mcp_progress: { progress } } };
      }
      yield chunk('done', 'one');
    });
    expect(output).toEqual({ type: 'text', value: 'done' });
  });

  it('of 50 MB: its beginning, its length and where all of it is', async () => {
    const megabyte = 'x'.repeat(1024 * 1024);
    const { output, session, sentBytes } = await seenOf(async function* large() {
      for (let n = 0; n < 50; n += 1) yield chunk(megabyte, 'one', n === 49 ? 'success' : 'running');
    });
    const path = '/w/sessions/chat/tool_result-call-1.txt';
    expect(output).toMatchObject({ type: 'text' });
    expect((output as { value: string }).value).toContain(
      `<system-reminder>The result has 52428800 characters; only the first 2000 are above. All of it is in ${path}.`,
    );
    expect(sentBytes).toBeLessThan(4_000);
    const [stored] = session.toolResults.get(path)?.output ?? [];
    expect(typeof stored === 'object' && stored.type === 'text' ? stored.text.length : 0).toBe(50 * 1024 * 1024);
  });

  it('of an image: the image, as data', async () => {
    const { output } = await seenOf(async function* image() {
      yield {
        content: [{ type: 'data', id: 'i', source: { type: 'base64', data: png, media_type: 'image/png' } }],
        state: 'success',
        isLast: true,
        metadata: {},
      };
    });
    expect(output).toEqual({
      type: 'content',
      value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } }],
    });
  });

  it('of an error that the tool tells: its text, as an error', async () => {
    const { output } = await seenOf(async function* error() {
      yield chunk('There is no such table.', 'e', 'error');
    });
    expect(output).toEqual({ type: 'error-text', value: 'There is no such table.' });
  });

  it('of an exception: its message, as an error', async () => {
    const { output } = await seenOf(
      // eslint-disable-next-line require-yield -- a call that fails before its first chunk
      async function* exception() {
        throw new Error('The disk is gone.');
      },
    );
    expect(output).toEqual({ type: 'error-text', value: 'Error: The disk is gone.' });
  });

  it('of arguments that do not fit: what is expected, as an error', async () => {
    const { output } = await seenOf(
      async function* never() {
        yield chunk('ran', 'one');
      },
      { input: { n: 'one' } },
    );
    expect(output).toEqual({
      type: 'error-text',
      value:
        'Work did not run, since its input is not valid:\n- n: number is expected; "one" is given\n' +
        'Its parameters are: n.',
    });
  });

  it('of a denial: that it was denied, and why', async () => {
    const { output } = await seenOf(
      async function* never() {
        yield chunk('ran', 'one');
      },
      { permissions: { tools: { Work: () => 'deny' } } },
    );
    expect(output).toEqual({
      type: 'execution-denied',
      reason: 'Work was denied and did not run: this call is not permitted here.',
    });
  });
});

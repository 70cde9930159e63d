import type { DataBlock, TextBlock, Tool } from '@agent-workspace/core';
import { isStepCount, generateText, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { memorySession } from '../test/support/memory-session.ts';
import { type ModelPrompt, scriptedModel } from '../test/support/scripted-model.ts';
import { toModelOutput, type WorkspaceToolOutput } from './tool-output.ts';
import { workspaceTools } from './workspace-tools.ts';

const png = 'iVBORw0KGgo=';

function giving(name: string, content: readonly (TextBlock | DataBlock)[], extra: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `Gives what ${name} gives.`,
    inputSchema: { type: 'object', properties: {} },
    isReadOnly: true,
    isConcurrencySafe: true,
    isSelfPaging: false,
    async *call() {
      yield await Promise.resolve({ content, state: 'success', isLast: true, metadata: {} } as const);
    },
    ...extra,
  };
}

const text = (value: string, id = 'a'): TextBlock => ({ type: 'text', id, text: value });
const read = giving('Read', [text('1\tline')], { isSelfPaging: true });
const long = 'a'.repeat(1_000_000);

/** Calls a tool once, through the SDK, and gives what the model was sent and what the loop has. */
async function callOnce(
  options: Parameters<typeof workspaceTools>[0],
  toolName: string,
): Promise<{ output: WorkspaceToolOutput; sent: unknown }> {
  const prompts: ModelPrompt[] = [];
  const model = scriptedModel([{ tool: toolName, input: {}, id: 'call_1' }], (prompt) => {
    prompts.push(prompt);
    return 'done';
  });
  const { steps } = await generateText({
    model,
    tools: await workspaceTools(options),
    prompt: 'go',
    stopWhen: isStepCount(2),
  });
  const message = prompts[0]?.at(-1);
  const part = message?.role === 'tool' ? message.content[0] : undefined;
  return {
    output: steps[0]?.toolResults[0]?.output as WorkspaceToolOutput,
    sent: part?.type === 'tool-result' ? part.output : undefined,
  };
}

describe('workspaceTools', () => {
  it('hands text and media to the model as they are', async () => {
    const image: DataBlock = { type: 'data', id: 'b', source: { type: 'base64', data: png, media_type: 'image/png' } };
    const session = memorySession({ tools: [giving('Chart', [text('a chart'), image])] });
    const { sent } = await callOnce({ session }, 'Chart');
    expect(sent).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'a chart' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
      ],
    });
  });

  it('[O04] offloads a block list of 1 MB once, and leaves a preview with the path', async () => {
    const session = memorySession({ tools: [read, giving('Dump', [text(long)])], scope: { sessionId: 's1' } });
    const { output, sent } = await callOnce({ session }, 'Dump');
    const path = '/w/sessions/s1/tool_result-call_1.txt';
    expect(output.offloadedTo).toBe(path);
    expect(session.toolResults.size).toBe(1);
    expect(session.toolResults.get(path)).toMatchObject({ id: 'call_1', name: 'Dump', output: [{ text: long }] });
    const value = (sent as { value: string }).value;
    expect(value.length).toBeLessThan(3_000);
    expect(value).toMatch(/^a{2000}\n<<<CUT>>>\n/u);
    expect(value).toContain(`1000000 characters; only the first 2000 are above. All of it is in ${path}.`);
    expect(value).toContain('the Read tool');
  });

  it('offloads many small blocks that are long together', async () => {
    const blocks = Array.from({ length: 400 }, (_, index) => text('b'.repeat(100), String(index)));
    const session = memorySession({ tools: [read, giving('Dump', blocks)] });
    const { output } = await callOnce({ session }, 'Dump');
    expect(output.offloadedTo).toBe('/w/sessions/default/tool_result-call_1.txt');
    expect(output.content).toHaveLength(1);
  });

  it('never offloads what pages itself', async () => {
    const session = memorySession({ tools: [giving('Read', [text(long)], { isSelfPaging: true })] });
    const { output } = await callOnce({ session }, 'Read');
    expect(output.offloadedTo).toBeUndefined();
    expect(session.toolResults.size).toBe(0);
  });

  it('cuts the preview between characters', async () => {
    const session = memorySession({ tools: [read, giving('Dump', [text(`${'a'.repeat(9)}😀${'b'.repeat(100)}`)])] });
    const { sent } = await callOnce({ session, offloadThresholdChars: 50, previewChars: 10 }, 'Dump');
    expect((sent as { value: string }).value).toMatch(/^a{9}\n<<<CUT>>>/u);
  });

  it('[O05] names a tool that the agent has', async () => {
    const tools = [read, giving('Bash', [text(long)])];
    const { sent } = await callOnce(
      { session: memorySession({ tools }), isEnabled: ({ name }) => name !== 'Read' },
      'Bash',
    );
    expect((sent as { value: string }).value).toContain('the Bash tool');
    expect((sent as { value: string }).value).not.toContain('Read tool');
  });

  it('[O10] leaves a way back where only other tools are on', async () => {
    const session = memorySession({ tools: [read, giving('mcp__a__dump', [text(long)])] });
    const isEnabled = ({ name }: Tool): boolean => name.startsWith('mcp__');
    expect(Object.keys(await workspaceTools({ session, isEnabled }))).toEqual(['Read', 'mcp__a__dump']);
    expect(Object.keys(await workspaceTools({ session, isEnabled, offloadThresholdChars: Infinity }))).toEqual([
      'mcp__a__dump',
    ]);
    const { sent } = await callOnce({ session, isEnabled }, 'mcp__a__dump');
    expect((sent as { value: string }).value).toContain('the Read tool');
  });

  it('[O09] shows media that stay in the workspace by their path there', async () => {
    const svg: DataBlock = {
      type: 'data',
      id: 'b',
      source: { type: 'base64', data: 'PHN2Zy8+', media_type: 'image/svg+xml' },
    };
    const session = memorySession({ tools: [giving('Draw', [svg])] });
    const { output, sent } = await callOnce({ session }, 'Draw');
    const [name] = [...session.data.keys()];
    expect(output.content).toMatchObject([{ source: { url: `workspace:///data/${name}` } }]);
    expect(sent).toEqual({ type: 'text', value: `[image/svg+xml in /w/data/${name}]` });
  });

  it('takes media that are too large to the workspace', async () => {
    const image: DataBlock = { type: 'data', id: 'b', source: { type: 'base64', data: png, media_type: 'image/png' } };
    const session = memorySession({ tools: [giving('Chart', [image])] });
    const { sent } = await callOnce({ session, maxInlineMediaBytes: 5 }, 'Chart');
    expect(session.data.size).toBe(1);
    expect(sent).toMatchObject({ type: 'text', value: expect.stringContaining('/w/data/') });
  });

  it('tells the model of a failure as an error', async () => {
    const failing = giving('Bash', [], {
      async *call() {
        yield await Promise.resolve({
          content: [text('exit 3')],
          state: 'error',
          isLast: true,
          metadata: {},
        } as const);
      },
    });
    const { sent } = await callOnce({ session: memorySession({ tools: [failing] }) }, 'Bash');
    expect(sent).toEqual({ type: 'error-text', value: 'exit 3' });
  });

  it('runs calls of a step side by side, and of one that is not concurrency-safe in turn', async () => {
    let running = 0;
    const most: Record<string, number> = {};
    const busy = (name: string, isConcurrencySafe: boolean): Tool =>
      giving(name, [], {
        isConcurrencySafe,
        async *call() {
          running += 1;
          most[name] = Math.max(most[name] ?? 0, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          yield { content: [], state: 'success', isLast: true, metadata: {} };
        },
      });
    const session = memorySession({ tools: [busy('Look', true), busy('Change', false)] });
    const calls = ['Look', 'Look', 'Change', 'Change'].map((tool) => ({ tool, input: {} }));
    // Two agents of one session, at the same time.
    await Promise.all(
      [1, 2].map(async () => {
        const agent = new ToolLoopAgent({
          model: scriptedModel(calls, 'done'),
          tools: await workspaceTools({ session }),
        });
        await agent.generate({ prompt: 'go' });
      }),
    );
    expect(most['Change']).toBe(1);
    expect(most['Look']).toBeGreaterThanOrEqual(2);
  });
});

describe('toModelOutput', () => {
  it('is the same each time, and takes what it does not know as JSON', () => {
    const output: WorkspaceToolOutput = { content: [text('x')], state: 'success' };
    expect(toModelOutput(output, '/w')).toEqual(toModelOutput(JSON.parse(JSON.stringify(output)), '/w'));
    expect(toModelOutput({ old: [1] }, '/w')).toEqual({ type: 'json', value: { old: [1] } });
    expect(toModelOutput(undefined, '/w')).toEqual({ type: 'json', value: null });
  });

  it('says denied calls as such, and lets web media through by their URL', () => {
    expect(toModelOutput({ content: [text('not here')], state: 'denied' }, '/w')).toEqual({
      type: 'execution-denied',
      reason: 'not here',
    });
    const web: DataBlock = {
      type: 'data',
      id: 'b',
      source: { type: 'url', url: 'https://example.com/a.png', media_type: 'image/png' },
    };
    expect(toModelOutput({ content: [web], state: 'success' }, '/w')).toEqual({
      type: 'content',
      value: [
        { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
      ],
    });
  });
});

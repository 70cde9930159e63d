import {
  convertToModelMessages,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  tool,
  ToolLoopAgent,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../test/support/scripted-model.ts';
import { streamingModel } from '../test/support/streaming-model.ts';
import { canonicalJson } from './canonical-json.ts';

/* What the adapters rest on, tried on the installed AI SDK: an update that changes it fails here first. */

const inputSchema = jsonSchema<Record<string, unknown>>({ type: 'object' });
const echo = tool({ inputSchema, execute: (input) => JSON.stringify(input) });

describe("the AI SDK's loop", () => {
  it('goes on with the messages that prepareStep returns, and gives back the whole history', async () => {
    const seen: number[] = [];
    const prepared: ModelMessage[][] = [];
    const model = scriptedModel([{ tool: 'echo', input: { n: 1 } }], [{ tool: 'echo', input: { n: 2 } }], 'done');
    const agent = new ToolLoopAgent({
      model,
      tools: { echo },
      prepareStep: ({ messages, stepNumber }) => {
        seen.push(messages.length);
        const next = stepNumber === 1 ? [{ role: 'user' as const, content: 'short' }, ...messages.slice(-2)] : messages;
        prepared.push(next);
        return { messages: next };
      },
    });
    const messages: ModelMessage[] = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ];
    const result = await agent.generate({ messages });
    expect(seen).toEqual([3, 5, 5]);
    expect(prepared[2]?.slice(0, 3)).toEqual(prepared[1]);
    expect(result.responseMessages).toHaveLength(5);
  });

  it('tells prepareStep nothing of an override between turns: the next turn has what its caller passes', async () => {
    let first: ModelMessage[] = [];
    const agent = new ToolLoopAgent({
      model: scriptedModel('hello', 'hello again'),
      prepareStep: ({ messages }) => {
        first = messages;
        return { messages: [{ role: 'user', content: 'replaced' }] };
      },
    });
    const history: ModelMessage[] = [{ role: 'user', content: 'one' }];
    const { responseMessages } = await agent.generate({ messages: history });
    const next: ModelMessage[] = [...history, ...responseMessages, { role: 'user', content: 'two' }];
    await agent.generate({ messages: next });
    expect(first).toEqual(next);
  });

  it('shows a model middleware the uncompressed prompt at each step, so that it would compress anew each time', async () => {
    const seen: number[] = [];
    const model = wrapLanguageModel({
      model: scriptedModel([{ tool: 'echo', input: {} }], [{ tool: 'echo', input: {} }], 'done'),
      middleware: {
        specificationVersion: 'v4',
        transformParams: async ({ params }) => {
          seen.push(params.prompt.length);
          return await Promise.resolve({ ...params, prompt: params.prompt.slice(-1) });
        },
      },
    });
    await new ToolLoopAgent({ model, tools: { echo } }).generate({ prompt: 'go' });
    expect(seen).toEqual([1, 3, 5]);
  });

  it('runs all calls of a step at once', async () => {
    let running = 0;
    let most = 0;
    const busy = tool({
      inputSchema,
      execute: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return 'ok';
      },
    });
    const calls = [1, 2, 3].map((n) => ({ tool: 'busy', input: { n } }));
    await generateText({
      model: scriptedModel(calls, 'done'),
      tools: { busy },
      prompt: 'go',
      stopWhen: isStepCount(2),
    });
    expect(most).toBe(3);
  });

  it('takes the last yield of an async iterable as the output', async () => {
    const counting = tool({
      inputSchema,
      async *execute() {
        yield 'a';
        yield 'ab';
      },
    });
    const model = scriptedModel([{ tool: 'counting', input: {} }], 'done');
    const { steps } = await generateText({ model, tools: { counting }, prompt: 'go', stopWhen: isStepCount(2) });
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(['ab']);
  });

  it('calls toModelOutput again when a conversation is replayed', async () => {
    let calls = 0;
    const counted = tool({
      inputSchema,
      execute: () => 'x',
      toModelOutput: ({ output }) => {
        calls += 1;
        return { type: 'text', value: `for the model: ${output}` };
      },
    });
    const model = scriptedModel([{ tool: 'counted', input: {} }], 'done');
    await generateText({ model, tools: { counted }, prompt: 'go', stopWhen: isStepCount(2) });
    expect(calls).toBe(1);
    const part = {
      type: 'dynamic-tool',
      toolName: 'counted',
      toolCallId: 'c',
      state: 'output-available',
      input: {},
      output: 'y',
    } as const;
    const replayed = await convertToModelMessages([{ role: 'assistant', parts: [part] }], { tools: { counted } });
    expect(calls).toBe(2);
    expect(replayed[1]).toMatchObject({ content: [{ output: { type: 'text', value: 'for the model: y' } }] });
  });

  it('refuses a prompt in which a call has lost its result', async () => {
    const messages: ModelMessage[] = [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'echo', input: {} }],
      },
      { role: 'user', content: 'and?' },
    ];
    await expect(generateText({ model: scriptedModel('x'), messages })).rejects.toThrow(/tool result/iu);
  });

  it('gives the same messages back after a way through its UI messages, so that a history is recognised', async () => {
    const tools = { echo };
    const model = streamingModel(
      [1, 2].map((n) => ({ tool: 'echo', input: { n } })),
      [{ tool: 'echo', input: {} }],
      'done',
    );
    const result = streamText({ model, tools, stopWhen: isStepCount(5), prompt: 'go' });
    let shown: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) shown = message;
    const again = await convertToModelMessages(shown === undefined ? [] : [shown], { tools });
    expect(again.map(canonicalJson)).toEqual((await result.responseMessages).map(canonicalJson));
  });
});

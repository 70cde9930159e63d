import { jsonSchema, type ModelMessage, simulateStreamingMiddleware, tool, ToolLoopAgent, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { memorySession } from '../test/support/memory-session.ts';
import { type ModelPrompt, scriptedModel } from '../test/support/scripted-model.ts';
import { compaction, type CompactionOptions } from './compaction.ts';
import type { SummarizeRequest } from './summarize.ts';
import { toMessages } from './to-messages.ts';

const inputSchema = jsonSchema<Record<string, unknown>>({ type: 'object' });
/** A tool whose results take about 1,000 tokens each. */
const look = tool({ inputSchema, execute: (input) => `${JSON.stringify(input)} ${'x'.repeat(4_000)}` });
const user = (content: string): ModelMessage => ({ role: 'user', content });
const calls = (...numbers: number[]): { tool: string; input: unknown }[] =>
  numbers.map((n) => ({ tool: 'look', input: { n } }));
const textOf = (prompt: ModelPrompt): string => JSON.stringify(prompt);

function setUp(options: Partial<CompactionOptions> = {}): {
  session: ReturnType<typeof memorySession>;
  requests: SummarizeRequest[];
  prepareStep: ReturnType<typeof compaction>;
} {
  const session = memorySession({ scope: { sessionId: 'chat' } });
  const requests: SummarizeRequest[] = [];
  const prepareStep = compaction({
    session,
    contextBudgetTokens: 3_000,
    keepLast: 2,
    toolNames: ['Read'],
    summarize: (request) => {
      requests.push(request);
      return `summary ${requests.length}`;
    },
    ...options,
  });
  return { session, requests, prepareStep };
}

describe('compaction', () => {
  it('leaves a context within the budget alone', async () => {
    const { session, requests, prepareStep } = setUp();
    const agent = new ToolLoopAgent({ model: scriptedModel(calls(1), 'done'), tools: { look }, prepareStep });
    await agent.generate({ prompt: 'go' });
    expect(requests).toEqual([]);
    expect(session.context).toEqual([]);
  });

  it('puts older messages away and goes on with a summary, the path and the last messages', async () => {
    const { session, prepareStep } = setUp();
    const prompts: ModelPrompt[] = [];
    const see = (n: number) => (prompt: ModelPrompt) => {
      prompts.push(prompt);
      return calls(n);
    };
    const model = scriptedModel(see(1), see(2), see(3), see(4), (prompt) => {
      prompts.push(prompt);
      return 'done';
    });
    const agent = new ToolLoopAgent({ model, tools: { look }, prepareStep });
    const { responseMessages } = await agent.generate({ prompt: 'Find the needle.' });

    const compressed = prompts[3] ?? [];
    expect(compressed.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(textOf(compressed)).toContain('summary 1');
    expect(textOf(compressed)).toContain('/w/sessions/chat/context.jsonl');
    expect(textOf(compressed)).toContain('with the Read tool');
    expect(textOf(compressed)).toContain('Find the needle.');
    expect(prompts[4]?.slice(0, 3)).toEqual(compressed);

    expect(session.context.map(({ content }) => content[0]?.type)).toEqual([
      'text',
      'tool_call',
      'tool_result',
      'tool_call',
      'tool_result',
    ]);
    expect(responseMessages).toHaveLength(9);
  });

  it('begins the next turn with the summary, and offloads no message twice', async () => {
    const { session, requests, prepareStep } = setUp();
    const prompts: ModelPrompt[] = [];
    const answer = (prompt: ModelPrompt): string => {
      prompts.push(prompt);
      return 'done';
    };
    const model = scriptedModel(calls(1), calls(2), calls(3), answer, answer);
    const agent = new ToolLoopAgent({ model, tools: { look }, prepareStep });
    const history: ModelMessage[] = [user('Find the needle.')];
    history.push(...(await agent.generate({ messages: history })).responseMessages, user('And now?'));
    const offloaded = session.context.length;
    await agent.generate({ messages: history });
    expect(prompts[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(textOf(prompts[1] ?? [])).toContain('summary 1');
    expect(requests).toHaveLength(1);
    expect(session.context).toHaveLength(offloaded);
  });

  it('takes an earlier summary up in the next, and appends only what is new', async () => {
    const { session, requests, prepareStep } = setUp();
    const model = scriptedModel(...[1, 2, 3, 4, 5, 6].map((n) => calls(n)), 'done');
    const agent = new ToolLoopAgent({ model, tools: { look }, prepareStep });
    await agent.generate({ prompt: 'Find the needle.' });
    expect(requests.map(({ previousSummary }) => previousSummary)).toEqual([undefined, 'summary 1']);
    const numbers = session.context.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_call' ? [block.input] : [])),
    );
    expect(numbers).toEqual(['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}']);
    expect(new Set(session.context.map(({ id }) => id)).size).toBe(session.context.length);
  });

  it('gives a message the id of its place in the whole history, however often it compresses', async () => {
    const { session, requests, prepareStep } = setUp();
    const model = scriptedModel(...[1, 1, 1, 1, 1, 1].map((n) => calls(n)), 'done');
    const agent = new ToolLoopAgent({ model, tools: { look }, prepareStep });
    const { responseMessages } = await agent.generate({ messages: [user('Find the needle.')] });
    expect(requests).toHaveLength(2);
    const whole = toMessages([user('Find the needle.'), ...responseMessages]);
    expect(session.context).toHaveLength(9);
    expect(session.context).toEqual(whole.slice(0, 9));
  });

  it('recognises its messages after a restart without its memory', async () => {
    const history: ModelMessage[] = [user('a'.repeat(8_000)), user('b'.repeat(8_000)), user('c')];
    const { session, prepareStep } = setUp();
    const model = scriptedModel('one', 'two');
    await new ToolLoopAgent({ model, prepareStep }).generate({ messages: history });
    const before = session.context.length;
    const again = compaction({ session, contextBudgetTokens: 3_000, keepLast: 2, summarize: () => 'again' });
    await new ToolLoopAgent({ model, prepareStep: again }).generate({ messages: history });
    expect(session.context).toHaveLength(before);
  });

  it('compresses anew when the history is not the one it knows', async () => {
    const { requests, prepareStep } = setUp();
    const agent = new ToolLoopAgent({ model: scriptedModel('one', 'two'), prepareStep });
    const history: ModelMessage[] = [user('a'.repeat(8_000)), user('b'.repeat(8_000)), user('c')];
    await agent.generate({ messages: history });
    await agent.generate({ messages: [user('edited'.repeat(2_000)), ...history.slice(1)] });
    expect(requests.map(({ previousSummary }) => previousSummary)).toEqual([undefined, undefined]);
  });

  it('keeps a call that waits for an approval, and its answer runs it', async () => {
    const { session, prepareStep } = setUp({ keepLast: 1 });
    const model = scriptedModel(calls(7), 'done');
    const agent = new ToolLoopAgent({ model, tools: { look }, prepareStep, toolApproval: { look: 'user-approval' } });
    const history: ModelMessage[] = [user('a'.repeat(8_000)), user('b'.repeat(8_000)), user('Look.')];
    const first = await agent.generate({ messages: history });
    const request = first.content.find((part) => part.type === 'tool-approval-request');
    history.push(...first.responseMessages, {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: request?.approvalId ?? '', approved: true }],
    });
    const second = await agent.generate({ messages: history });
    expect(second.text).toBe('done');
    expect(second.responseMessages[0]).toMatchObject({ role: 'tool', content: [{ toolName: 'look' }] });
    expect(session.context.flatMap(({ content }) => content.map(({ type }) => type))).not.toContain('tool_call');
  });

  it('works the same when the answer is streamed', async () => {
    const { session, requests, prepareStep } = setUp();
    const model = wrapLanguageModel({
      model: scriptedModel(calls(1), calls(2), calls(3), calls(4), 'done'),
      middleware: simulateStreamingMiddleware(),
    });
    const agent = new ToolLoopAgent({ model, tools: { look }, prepareStep });
    const { text } = await agent.stream({ prompt: 'Find the needle.' });
    expect(await text).toBe('done');
    expect(requests).toHaveLength(1);
    expect(session.context).toHaveLength(5);
  });

  it('keeps system messages of a prompt in front', async () => {
    const { prepareStep } = setUp();
    const prompts: ModelPrompt[] = [];
    const model = scriptedModel((prompt) => {
      prompts.push(prompt);
      return 'ok';
    });
    const agent = new ToolLoopAgent({ model, prepareStep, allowSystemInMessages: true });
    const messages: ModelMessage[] = [
      { role: 'system', content: 'Be brief.' },
      user('a'.repeat(8_000)),
      user('b'.repeat(8_000)),
      user('c'),
    ];
    await agent.generate({ messages });
    expect(prompts[0]?.[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
    expect(prompts[0]?.filter(({ role }) => role === 'system')).toHaveLength(1);
    expect(textOf(prompts[0] ?? [])).toContain('summary 1');
  });

  it("asks the step's own model for a summary by default", async () => {
    const { session, prepareStep } = setUp({ summarize: undefined });
    const prompts: ModelPrompt[] = [];
    const model = scriptedModel(
      (prompt) => {
        prompts.push(prompt);
        return 'Two long lines were seen.';
      },
      (prompt) => {
        prompts.push(prompt);
        return 'ok';
      },
    );
    const messages = [user('a'.repeat(8_000)), user('b'.repeat(8_000)), user('c')];
    await new ToolLoopAgent({ model, prepareStep }).generate({ messages });
    expect(textOf(prompts[0] ?? [])).toContain('aaaa');
    expect(textOf(prompts[1] ?? [])).toContain('Two long lines were seen.');
    expect(session.context.length).toBeGreaterThan(0);
  });

  it('asks for the summary of a history that is longer than the budget with its beginning and its end', async () => {
    const { prepareStep } = setUp({ summarize: undefined });
    const model = scriptedModel('Many lines were seen.', 'ok');
    const messages = [user(`first ${'a'.repeat(90_000)} last`), user('c')];
    await new ToolLoopAgent({ model, prepareStep }).generate({ messages });
    const asked = textOf(model.doGenerateCalls[0]?.prompt ?? []);
    expect(asked.length).toBeLessThan(3_000 * 4 + 2_000);
    expect(asked).toMatch(/first a+.*\[\d+ characters are left out here\].*a+ last/u);
  });

  it('cuts a summary that would fill the budget, so that the next step does not compress again', async () => {
    const { requests, prepareStep } = setUp({ summarize: () => 'long '.repeat(100_000) });
    const model = scriptedModel('one', 'two');
    const agent = new ToolLoopAgent({ model, prepareStep });
    const history = [user('a'.repeat(8_000)), user('b'.repeat(8_000)), user('c')];
    const { responseMessages } = await agent.generate({ messages: history });
    await agent.generate({ messages: [...history, ...responseMessages, user('And?')] });
    expect(requests).toEqual([]);
    const lengths = model.doGenerateCalls.map(
      ({ prompt }) => JSON.stringify(prompt.map(({ content }) => content)).length,
    );
    expect(Math.max(...lengths)).toBeLessThan(3_000 * 4);
  });

  it('stores nothing twice when the summary fails and the turn is tried again', async () => {
    let isDown = true;
    const { session, prepareStep } = setUp({
      summarize: () => {
        if (isDown) throw new Error('no model');
        return 'summary';
      },
    });
    const agent = new ToolLoopAgent({ model: scriptedModel('ok'), prepareStep });
    const messages = [user('a'.repeat(8_000)), user('b'.repeat(8_000)), user('c')];
    await expect(agent.generate({ messages })).rejects.toThrow('no model');
    const stored = session.context.length;
    isDown = false;
    expect((await agent.generate({ messages })).text).toBe('ok');
    expect(session.context).toHaveLength(stored);
  });
});

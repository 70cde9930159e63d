import type { Tool } from '@agent-workspace/core';
import { jsonSchema, tool, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { memorySession } from '../test/support/memory-session.ts';
import { scriptedModel } from '../test/support/scripted-model.ts';
import { agentSettings } from './agent-settings.ts';

const simple = (name: string): Tool => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: {} },
  isReadOnly: true,
  isConcurrencySafe: true,
  isSelfPaging: false,
  async *call() {
    yield await Promise.resolve({
      content: [{ type: 'text', id: 'a', text: `${name} ran` }],
      state: 'success',
      isLast: true,
      metadata: {},
    } as const);
  },
});
const mine = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'mine' });

describe('agentSettings', () => {
  it('makes an agent of the SDK that has the tools and the instructions', async () => {
    const session = memorySession({ tools: [simple('Bash')] });
    const model = scriptedModel([{ tool: 'Bash', input: {} }], 'There is a file.');
    const agent = new ToolLoopAgent({ model, ...(await agentSettings(session, { instructions: 'Be brief.' })) });
    const { text, steps } = await agent.generate({ prompt: 'What is there?' });
    expect(text).toBe('There is a file.');
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ content: [{ text: 'Bash ran' }] });
    expect(model.doGenerateCalls[0]?.prompt[0]).toMatchObject({
      role: 'system',
      content: '<workspace>You work in /w.</workspace>\n\nBe brief.',
    });
  });

  it('takes up tools that come and go, at the next call', async () => {
    let tools = [simple('Bash')];
    const session = { ...memorySession(), listTools: async () => await Promise.resolve(tools) };
    const model = scriptedModel('one', 'two');
    const agent = new ToolLoopAgent({ model, ...(await agentSettings(session)) });
    await agent.generate({ prompt: 'a' });
    tools = [simple('Bash'), simple('Grep')];
    await agent.generate({ prompt: 'b' });
    const names = model.doGenerateCalls.map((call) => call.tools?.map(({ name }) => name));
    expect(names).toEqual([['Bash'], ['Bash', 'Grep']]);
  });

  it('brings its part of the instructions up to date, as it is written', async () => {
    let text = 'one';
    const session = { ...memorySession(), getInstructions: async () => await Promise.resolve(text) };
    const settings = await agentSettings(session);
    const model = scriptedModel('a');
    const agent = new ToolLoopAgent({ model, ...settings, instructions: `${settings.instructions}\nMine.` });
    text = 'costs $& and $1';
    await agent.generate({ prompt: 'a' });
    expect(model.doGenerateCalls[0]?.prompt[0]).toMatchObject({ content: 'costs $& and $1\nMine.' });
  });

  it("leaves a developer's own tools and instructions alone", async () => {
    const session = memorySession({ tools: [simple('Bash'), simple('Grep'), simple('Read')] });
    const settings = await agentSettings(session);
    const { Grep: _left, ...rest } = settings.tools;
    const model = scriptedModel('one');
    const agent = new ToolLoopAgent({
      model,
      ...settings,
      tools: { ...rest, Read: mine, mine },
      instructions: `${settings.instructions}\nMine.`,
    });
    await agent.generate({ prompt: 'a' });
    expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name).toSorted()).toEqual(['Bash', 'Read', 'mine']);
    expect(model.doGenerateCalls[0]?.tools).toContainEqual(
      expect.not.objectContaining({ name: 'Read', description: 'Read' }),
    );
    expect(model.doGenerateCalls[0]?.prompt[0]).toMatchObject({
      content: '<workspace>You work in /w.</workspace>\nMine.',
    });
  });

  it('gives the turn back when a call is aborted in the middle of a step', async () => {
    const { promise: isRunning, resolve: markRunning } = Promise.withResolvers<void>();
    let isFirst = true;
    const slow: Tool = {
      ...simple('Slow'),
      isConcurrencySafe: false,
      async *call(_input, { signal } = {}) {
        if (isFirst) {
          isFirst = false;
          markRunning();
          await new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
          });
        }
        yield { content: [{ type: 'text', id: 'a', text: 'Slow ran' }], state: 'success', isLast: true, metadata: {} };
      },
    };
    const session = memorySession({ tools: [slow] });
    const model = scriptedModel([{ tool: 'Slow', input: {} }], [{ tool: 'Slow', input: {} }], 'Done.');
    const agent = new ToolLoopAgent({ model, ...(await agentSettings(session)) });
    const controller = new AbortController();
    const stopped = agent.generate({ prompt: 'go', abortSignal: controller.signal });
    await isRunning;
    controller.abort(new Error('stopped by the user'));
    await expect(stopped).rejects.toThrow('stopped by the user');
    expect((await agent.generate({ prompt: 'again' })).text).toBe('Done.');
  });

  it('keeps sessions that work at the same time apart', async () => {
    const { promise: bothRun, resolve } = Promise.withResolvers<void>();
    let running = 0;
    const meet: Tool = {
      ...simple('Meet'),
      isConcurrencySafe: false,
      async *call() {
        running += 1;
        if (running === 2) resolve();
        await bothRun;
        yield {
          content: [{ type: 'text', id: 'a', text: 'x'.repeat(500) }],
          state: 'success',
          isLast: true,
          metadata: {},
        };
      },
    };
    const compactionOptions = { contextBudgetTokens: 200, keepLast: 1, summarize: () => 'summary' };
    const sessions = ['one', 'two'].map((sessionId) => memorySession({ tools: [meet], scope: { sessionId } }));
    const answers = await Promise.all(
      sessions.map(async (session) => {
        const { sessionId = '' } = session.scope;
        const model = scriptedModel([{ tool: 'Meet', input: {} }], `answer ${sessionId}`);
        const agent = new ToolLoopAgent({
          model,
          ...(await agentSettings(session, { compaction: compactionOptions })),
        });
        const messages = [
          { role: 'user' as const, content: `${sessionId} ${'a'.repeat(1_000)}` },
          { role: 'user' as const, content: 'go' },
        ];
        return (await agent.generate({ messages })).text;
      }),
    );
    expect(answers).toEqual(['answer one', 'answer two']);
    expect(sessions.map(({ context }) => JSON.stringify(context[0]?.content).includes('one'))).toEqual([true, false]);
  });
});

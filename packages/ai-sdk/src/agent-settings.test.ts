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
});

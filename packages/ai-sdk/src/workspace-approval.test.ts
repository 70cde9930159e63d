import type { Tool } from '@agent-workspace/core';
import { defineTool, type Permissions } from '@agent-workspace/toolkit';
import { isStepCount, jsonSchema, type ModelMessage, streamText, tool, ToolLoopAgent } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { memorySession } from '../test/support/memory-session.ts';
import { streamingModel } from '../test/support/streaming-model.ts';
import { scriptedModel } from '../test/support/scripted-model.ts';
import { agentSettings } from './agent-settings.ts';
import { workspaceApproval } from './workspace-approval.ts';
import { workspaceTools } from './workspace-tools.ts';

const inputSchema = jsonSchema<Record<string, unknown>>({ type: 'object' });

function writing(ran: unknown[]): Tool {
  return {
    name: 'Write',
    description: 'Writes.',
    inputSchema: { type: 'object' },
    isReadOnly: false,
    isConcurrencySafe: false,
    isSelfPaging: true,
    async *call(input) {
      ran.push(input);
      yield await Promise.resolve({
        content: [{ type: 'text', id: 't', text: 'written' }],
        state: 'success',
        isLast: true,
        metadata: {},
      } as const);
    },
  };
}

const call = { tool: 'Write', input: { text: 'x' }, id: 'call-1' };
const ask: Permissions = { mode: 'ask' };
const question: ModelMessage = { role: 'user', content: 'Write it.' };

/** Answers what is asked for in the last messages. */
function answer(messages: readonly ModelMessage[], isApproved: boolean, reason?: string): ModelMessage {
  const approvalIds = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string'
      ? content.flatMap((part) => (part.type === 'tool-approval-request' ? [part.approvalId] : []))
      : [],
  );
  return {
    role: 'tool',
    content: approvalIds.map((approvalId) => ({
      type: 'tool-approval-response',
      approvalId,
      approved: isApproved,
      ...(reason === undefined ? {} : { reason }),
    })),
  };
}

/** What the model was sent as the result of the call. */
function resultSent(prompt: readonly { readonly role: string; readonly content: unknown }[]): unknown {
  const parts = prompt.flatMap(({ content }) => (Array.isArray(content) ? (content as { type: string }[]) : []));
  return parts.flatMap((part) => (part.type === 'tool-result' ? [(part as { output?: unknown }).output] : []));
}

describe('workspaceApproval', () => {
  it('asks the user, and runs what was approved without asking again', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    const model = scriptedModel([call], 'Done.');
    const agent = new ToolLoopAgent({ model, ...(await agentSettings(session, { permissions: ask })) });
    const first = await agent.generate({ messages: [question] });
    expect(first.content).toContainEqual(expect.objectContaining({ type: 'tool-approval-request' }));
    expect(ran).toEqual([]);

    const messages = [question, ...first.responseMessages, answer(first.responseMessages, true)];
    const { text } = await agent.generate({ messages });
    expect(text).toBe('Done.');
    expect(ran).toEqual([{ text: 'x' }]);
    expect(resultSent(model.doGenerateCalls[1]?.prompt ?? [])).toEqual([{ type: 'text', value: 'written' }]);
  });

  it('tells the model of a denial, and runs nothing', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    const model = scriptedModel([call], 'I see.');
    const agent = new ToolLoopAgent({ model, ...(await agentSettings(session, { permissions: ask })) });
    const first = await agent.generate({ messages: [question] });
    const messages = [question, ...first.responseMessages, answer(first.responseMessages, false, 'not today')];
    await agent.generate({ messages });
    expect(ran).toEqual([]);
    expect(resultSent(model.doGenerateCalls[1]?.prompt ?? [])).toEqual([
      { type: 'execution-denied', reason: 'not today' },
    ]);
  });

  it('goes the same way when it streams', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    const settings = {
      model: streamingModel([call], 'Done.'),
      tools: await workspaceTools({ session, permissions: ask }),
      toolApproval: workspaceApproval(),
      stopWhen: isStepCount(3),
    };
    const first = streamText({ ...settings, messages: [question] });
    const response = await first.responseMessages;
    expect(ran).toEqual([]);
    const second = streamText({ ...settings, messages: [question, ...response, answer(response, true)] });
    expect(await second.text).toBe('Done.');
    expect(ran).toEqual([{ text: 'x' }]);
  });

  it('denies what the permissions deny, before anybody is asked', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    const permissions: Permissions = { mode: 'ask', tools: { Write: () => 'deny' } };
    const model = scriptedModel([call], 'I see.');
    const agent = new ToolLoopAgent({ model, ...(await agentSettings(session, { permissions })) });
    expect((await agent.generate({ messages: [question] })).text).toBe('I see.');
    expect(ran).toEqual([]);
    expect(resultSent(model.doGenerateCalls[1]?.prompt ?? [])).toEqual([
      { type: 'execution-denied', reason: 'Write was denied and did not run: it is not permitted here.' },
    ]);
  });

  it('looks at the permissions again when a call is approved', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    let verdict: 'ask' | 'deny' = 'ask';
    const permissions: Permissions = { tools: { Write: () => verdict } };
    const agent = new ToolLoopAgent({
      model: scriptedModel([call], 'I see.'),
      ...(await agentSettings(session, { permissions })),
    });
    const first = await agent.generate({ messages: [question] });
    verdict = 'deny';
    await agent.generate({ messages: [question, ...first.responseMessages, answer(first.responseMessages, true)] });
    expect(ran).toEqual([]);
  });

  it('leaves the asking to an approve of the permissions, which is asked once', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    const approve = vi.fn(() => true);
    const agent = new ToolLoopAgent({
      model: scriptedModel([call], 'Done.'),
      ...(await agentSettings(session, { permissions: { mode: 'ask', approve } })),
    });
    expect((await agent.generate({ messages: [question] })).text).toBe('Done.');
    expect(ran).toEqual([{ text: 'x' }]);
    expect(approve).toHaveBeenCalledTimes(1);
  });

  it('runs nothing that needs an approval where the SDK was not told to ask', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    const { toolApproval: _unused, ...settings } = await agentSettings(session, { permissions: ask });
    const model = scriptedModel([call], 'I see.');
    await new ToolLoopAgent({ model, ...settings }).generate({ messages: [question] });
    expect(ran).toEqual([]);
    expect(resultSent(model.doGenerateCalls[1]?.prompt ?? [])).toMatchObject([{ type: 'execution-denied' }]);
  });

  it('takes no approval of one call for that of another', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran)] });
    const { toolApproval: _unused, ...settings } = await agentSettings(session, { permissions: ask });
    const approved: ModelMessage[] = [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'Write', input: { text: 'x' } },
          { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'call-1' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
    ];
    // The model calls again, with the same id.
    const model = scriptedModel([{ ...call, input: { text: 'other' } }], 'I see.');
    await new ToolLoopAgent({ model, ...settings }).generate({ messages: approved });
    expect(ran).toEqual([{ text: 'x' }]);
  });

  it('tells the model of a rule that fails, and lets the turn go on', async () => {
    const session = memorySession({ tools: [writing([])] });
    const permissions: Permissions = { tools: { Write: () => Promise.reject(new Error('policy server down')) } };
    const model = scriptedModel([call], 'I see.');
    const agent = new ToolLoopAgent({ model, ...(await agentSettings(session, { permissions })) });
    expect((await agent.generate({ messages: [question] })).text).toBe('I see.');
    expect(resultSent(model.doGenerateCalls[1]?.prompt ?? [])).toEqual([
      {
        type: 'error-text',
        value: 'Write did not run, since its permission could not be found out: policy server down',
      },
    ]);
  });

  it('does for tools of others what they say themselves, or what it is told', async () => {
    const mine = tool({ inputSchema, execute: () => 'mine', needsApproval: true });
    const session = memorySession();
    const request = {
      toolCall: { toolName: 'mine', toolCallId: 'c', input: {} },
      tools: { ...(await workspaceTools({ session })), mine },
      toolsContext: undefined,
      runtimeContext: undefined,
      messages: [],
    };
    expect(await workspaceApproval()(request)).toBe('user-approval');
    expect(await workspaceApproval({ otherwise: () => 'denied' })(request)).toBe('denied');
    expect(await workspaceApproval()({ ...request, tools: {} })).toBeUndefined();
  });

  it('asks for calls of tools that were given beside the session', async () => {
    const deploy = defineTool({
      name: 'Deploy',
      description: 'Deploys.',
      inputSchema: z.object({ to: z.string() }),
      execute: ({ to }, { session }) => `deployed ${session.workdir} to ${to}`,
    });
    const model = scriptedModel([{ tool: 'Deploy', input: { to: 'prod' }, id: 'call-1' }], 'Done.');
    const agent = new ToolLoopAgent({
      model,
      ...(await agentSettings(memorySession(), { tools: [deploy], permissions: ask })),
    });
    const first = await agent.generate({ messages: [question] });
    await agent.generate({ messages: [question, ...first.responseMessages, answer(first.responseMessages, true)] });
    expect(resultSent(model.doGenerateCalls[1]?.prompt ?? [])).toEqual([
      { type: 'text', value: 'deployed /w to prod' },
    ]);
  });

  it('runs what is allowed at once, and of two that wait the one that was approved', async () => {
    const ran: unknown[] = [];
    const session = memorySession({ tools: [writing(ran), { ...writing(ran), name: 'Read', isReadOnly: true }] });
    const calls = [
      { tool: 'Write', input: { n: 1 }, id: 'call-1' },
      { tool: 'Read', input: { n: 2 }, id: 'call-2' },
      { tool: 'Write', input: { n: 3 }, id: 'call-3' },
    ];
    const model = scriptedModel(calls, 'Done.');
    const settings = await agentSettings(session, {
      permissions: ask,
      compaction: { contextBudgetTokens: 40, keepLast: 1, summarize: () => 'summary' },
    });
    const agent = new ToolLoopAgent({ model, ...settings });
    const history: ModelMessage[] = [{ role: 'user', content: 'x'.repeat(1_000) }, question];
    const { responseMessages } = await agent.generate({ messages: history });
    expect(ran).toEqual([{ n: 2 }]);

    const asked = answer(responseMessages, true);
    const parts = asked.role === 'tool' ? asked.content : [];
    const responses = parts.map((part, index) =>
      part.type === 'tool-approval-response' ? { ...part, approved: index === 1 } : part,
    );
    history.push(...responseMessages, { role: 'tool', content: responses });
    expect((await agent.generate({ messages: history })).text).toBe('Done.');
    expect(ran).toEqual([{ n: 2 }, { n: 3 }]);
    expect(resultSent(model.doGenerateCalls[1]?.prompt ?? [])).toMatchObject([
      { type: 'text' },
      { type: 'text' },
      { type: 'execution-denied' },
    ]);
  });
});

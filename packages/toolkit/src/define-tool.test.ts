import { type Backend, collectToolResult, type WorkspaceSession } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { outcomeOf } from '../test/support/tools.ts';
import { defineTool } from './define-tool.ts';
import { Toolkit } from './toolkit.ts';

const multiply = defineTool({
  name: 'Multiply',
  description: 'Multiplies two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number().default(2) }),
  isReadOnly: true,
  execute: ({ a, b }) => String(a * b),
});

describe('defineTool', () => {
  it('describes the input as JSON Schema', () => {
    expect(multiply.inputSchema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number', default: 2 } },
      required: ['a'],
    });
    expect(multiply).toMatchObject({ isReadOnly: true, isConcurrencySafe: true, isSelfPaging: false });
  });

  it('hands the checked input to the function', async () => {
    const result = await collectToolResult(multiply.call({ a: 21 }));
    expect(result.state).toBe('success');
    expect(result.content).toMatchObject([{ type: 'text', text: '42' }]);
  });

  it('tells the model what is wrong with its arguments', async () => {
    const result = await collectToolResult(multiply.call({ a: 'x' }));
    expect(result.state).toBe('error');
    expect(result.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/Multiply.*\n- a: .*number/u) }]);
  });

  it('keeps every block of a result, whatever their ids', async () => {
    const blocks = defineTool({
      name: 'Blocks',
      description: 'Two texts.',
      inputSchema: z.object({}),
      execute: () => [
        { type: 'text', id: 'same', text: 'one' },
        { type: 'text', id: 'same', text: 'two' },
      ],
    });
    const { content } = await collectToolResult(blocks.call({}));
    expect(content.map((block) => (block.type === 'text' ? block.text : ''))).toEqual(['one', 'two']);
  });

  it('hands over the call and where the agent works', async () => {
    const backend = { kind: 'memory' } as Backend;
    let holds = 0;
    const hold = (): Disposable => {
      holds += 1;
      return { [Symbol.dispose]: () => void (holds -= 1) };
    };
    const session = { workdir: '/w', backend, hold } as WorkspaceSession;
    const where = defineTool({
      name: 'Where',
      description: 'Says where it is.',
      inputSchema: z.object({}),
      annotations: { title: 'Where am I?', openWorldHint: false },
      execute: (_input, { toolCallId, signal, ...context }) =>
        `${toolCallId} ${signal?.aborted} ${context.session.workdir} ${context.backend.kind} ${holds}`,
    });
    expect(where.annotations).toEqual({ title: 'Where am I?', openWorldHint: false, readOnlyHint: false });
    const toolkit = new Toolkit({ tools: [where], session });
    const options = { toolCallId: 'call-1', signal: new AbortController().signal };
    expect(await outcomeOf(toolkit, 'Where', {}, options)).toEqual({
      state: 'success',
      text: 'call-1 false /w memory 1',
    });
    expect(holds).toBe(0);
  });

  it('fails where a tool needs a session and its toolkit has none, and only then', async () => {
    const needs = defineTool({
      name: 'Needs',
      description: '',
      inputSchema: z.object({ isNeeded: z.boolean() }),
      execute: ({ isNeeded }, context) => (isNeeded ? context.backend.kind : 'no need'),
    });
    const toolkit = new Toolkit({ tools: [needs] });
    expect(await outcomeOf(toolkit, 'Needs', { isNeeded: false })).toMatchObject({ text: 'no need' });
    await expect(outcomeOf(toolkit, 'Needs', { isNeeded: true })).rejects.toMatchObject({
      code: 'tool-session-missing',
      details: { tool: 'Needs' },
    });
  });
});

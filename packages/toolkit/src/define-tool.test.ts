import { collectToolResult } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';

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
});

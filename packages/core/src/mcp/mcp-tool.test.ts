import { describe, expect, it, vi } from 'vitest';
import { MCPCallCancelledError } from '../errors/mcp-call-cancelled-error.ts';
import { MCPClientClosedError } from '../errors/mcp-client-closed-error.ts';
import { MCPConnectFailedError } from '../errors/mcp-connect-failed-error.ts';
import { collectToolResult } from '../tools/tool-result.ts';
import type { MCPCallResult, MCPClient } from './mcp-client.ts';
import { createMcpTool } from './mcp-tool.ts';

type CallTool = MCPClient['callTool'];

/** A tool `do` of the server `s`, which answers as told. */
function toolOf(callTool: CallTool, extra: Record<string, unknown> = {}): ReturnType<typeof createMcpTool> {
  return createMcpTool({ name: 's', callTool }, { name: 'do', inputSchema: { type: 'object' }, ...extra });
}

const answering =
  (result: MCPCallResult): CallTool =>
  () =>
    Promise.resolve(result);

describe('an MCP tool', () => {
  it('is what its server says of it', () => {
    const annotations = { readOnlyHint: true, title: 'Do it' };
    const tool = toolOf(answering({ content: [] }), { annotations });
    expect(tool).toMatchObject({
      name: 'mcp__s__do',
      serverName: 's',
      toolName: 'do',
      description: 'Do it',
      isReadOnly: true,
      isConcurrencySafe: true,
      isSelfPaging: false,
      annotations,
    });
    expect(toolOf(answering({ content: [] })).isReadOnly).toBe(false);
  });

  it('hands input, signal and nothing else on', async () => {
    const callTool = vi.fn<CallTool>().mockResolvedValue({ content: [{ type: 'text', text: 'x' }] });
    const controller = new AbortController();
    await collectToolResult(toolOf(callTool).call({ a: 1 }, { signal: controller.signal, toolCallId: 'c' }));
    await collectToolResult(toolOf(callTool).call(undefined));
    expect(callTool.mock.calls.map(([name, input]) => [name, input])).toEqual([
      ['do', { a: 1 }],
      ['do', {}],
    ]);
    controller.abort();
    expect(callTool.mock.calls[0]?.[2]?.signal?.aborted).toBe(true);
  });

  it('makes an error of input that is no object', async () => {
    for (const input of ['text', 7, [1]]) {
      const result = await collectToolResult(toolOf(answering({ content: [] })).call(input));
      expect(result.state).toBe('error');
    }
  });

  it('yields progress as it comes, and the result last', async () => {
    const tool = toolOf(async (_name, _input, options) => {
      options?.onProgress?.({ progress: 1 });
      options?.onProgress?.({ progress: 2, total: 2 });
      return { content: [{ type: 'text', text: 'done' }] };
    });
    const chunks = await Array.fromAsync(tool.call({}));
    expect(chunks.map(({ metadata, isLast, state }) => [metadata, isLast, state])).toEqual([
      [{ mcp_progress: { progress: 1 } }, false, 'running'],
      [{ mcp_progress: { progress: 2, total: 2 } }, false, 'running'],
      [{}, true, 'success'],
    ]);
  });

  it('keeps the last of the progress that nobody has taken yet', async () => {
    const tool = toolOf(async (_name, _input, options) => {
      for (let progress = 1; progress <= 1_000; progress++) options?.onProgress?.({ progress });
      return { content: [] };
    });
    const chunks = await Array.fromAsync(tool.call({}));
    expect(chunks.slice(0, -1).map(({ metadata }) => metadata['mcp_progress'])).toEqual(
      Array.from({ length: 16 }, (_, index) => ({ progress: 985 + index })),
    );
    expect(chunks.at(-1)).toMatchObject({ isLast: true, state: 'success' });
  });

  it('shows structure alone as its JSON', async () => {
    const result = await collectToolResult(toolOf(answering({ content: [], structuredContent: { a: 1 } })).call({}));
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"a":1}' }],
      metadata: { mcp_result: { structuredContent: { a: 1 } } },
    });
  });

  it('shows content that is not as its kind should be as its JSON', async () => {
    const odd = [
      { type: 'text' },
      { type: 'image', mimeType: 'image/png' },
      { type: 'resource' },
      { type: 'resource_link' },
    ];
    const result = await collectToolResult(toolOf(answering({ content: odd })).call({}));
    expect(result.content.map((block) => block.type === 'text' && block.text)).toEqual(
      odd.map((one) => JSON.stringify(one)),
    );
  });

  it.each([
    ['null', null],
    ['a number', 7],
    ['words', 'words'],
    ['an array', [{ type: 'text', text: 'inner' }]],
    ['an object without a type', { text: 'x' }],
    ['an object of an odd type', { type: 7 }],
  ])('shows %s among content as its JSON, and keeps it', async (_what, odd) => {
    const content = [odd, { type: 'text', text: 'beside' }] as MCPCallResult['content'];
    const result = await collectToolResult(toolOf(answering({ content })).call({}));
    expect(result).toMatchObject({
      state: 'success',
      content: [
        { type: 'text', text: JSON.stringify(odd) },
        { type: 'text', text: 'beside' },
      ],
    });
    expect(result.metadata).toEqual({ mcp_result: { unknownContent: [odd] } });
  });

  it('takes what is no array for one piece of content, and nothing for none', async () => {
    const shown = async (content: unknown): Promise<unknown> => {
      const result = { content, structuredContent: { a: 1 } } as MCPCallResult;
      return (await collectToolResult(toolOf(answering(result)).call({}))).content;
    };
    expect(await shown({ type: 'text', text: 'alone' })).toMatchObject([{ type: 'text', text: 'alone' }]);
    expect(await shown('words')).toMatchObject([{ type: 'text', text: '"words"' }]);
    expect(await shown(undefined)).toMatchObject([{ type: 'text', text: '{"a":1}' }]);
    expect(await shown(null)).toMatchObject([{ type: 'text', text: '{"a":1}' }]);
  });

  it('makes an error chunk of a failed server, and throws what is for its caller', async () => {
    const failed = new MCPConnectFailedError({ name: 's', reason: 'down' });
    const result = await collectToolResult(toolOf(() => Promise.reject(failed)).call({}));
    expect(result).toMatchObject({ state: 'error', content: [{ text: failed.message }] });
    const forTheCaller = [
      new MCPCallCancelledError({ name: 's', method: 'tools/call' }),
      new MCPClientClosedError({ name: 's', method: 'tools/call' }),
      new TypeError('a bug'),
    ];
    for (const error of forTheCaller) {
      await expect(collectToolResult(toolOf(() => Promise.reject(error)).call({}))).rejects.toBe(error);
    }
  });
});

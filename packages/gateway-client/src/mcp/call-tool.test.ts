import type { MCPProgress } from '@agent-workspace/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GatewayClient } from '../gateway-client.ts';
import type { Deadline } from '../http/deadline.ts';
import { callTool } from './call-tool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a call has its time anew with each progress, and not with signs of life', async () => {
  let deadline: Deadline | undefined;
  const isOver: (boolean | undefined)[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const type of ['progress', 'progress', 'alive', 'alive']) {
      vi.advanceTimersByTime(60);
      isOver.push(deadline?.signal.aborted);
      yield Buffer.from(`${JSON.stringify({ type, progress: 1 })}\n`);
    }
    yield Buffer.from('{"type":"result","result":{"content":[]}}\n');
  }
  const client = {
    bytes(request: { readonly deadline?: Deadline | undefined }) {
      ({ deadline } = request);
      return Promise.resolve(body());
    },
  } as unknown as GatewayClient;
  const news: MCPProgress[] = [];
  await callTool({
    client,
    path: '/',
    request: { arguments: {} },
    signal: new AbortController().signal,
    timeoutMs: 100,
    onProgress: (progress) => news.push(progress),
    isRepeatable: false,
  });
  expect(isOver).toEqual([false, false, false, true]);
  expect(news).toEqual([{ progress: 1 }, { progress: 1 }]);
});

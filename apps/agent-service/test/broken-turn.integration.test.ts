import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chunksOf, saidIn, sessionPath } from './support/client.ts';
import { openTestService, type TestService } from './support/in-process.ts';
import { type AgentProcess, processInWorkspace } from './support/process-in-workspace.ts';

let test: TestService;
beforeAll(async () => {
  test = await openTestService({ isSingleTenant: true });
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
});

it('ends what a turn has running that breaks off', async () => {
  const session = sessionPath('coder', 's');
  const { store } = test.service;
  const append = store.appendChunk.bind(store);
  let running: AgentProcess | undefined;
  using full = vi.spyOn(store, 'appendChunk').mockImplementation(async (key, chunk) => {
    if (chunk.type !== 'tool-input-available') return await append(key, chunk);
    running = await processInWorkspace(test, 'pid');
    throw new Error('The disk is full.');
  });
  const text = '/run echo $$ > pid; exec sleep 300';
  const chunks = await chunksOf(await test.alpha.request('POST', `${session}/chat`, { json: { text } }));
  expect(full).toHaveBeenCalled();
  expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'The disk is full.' });
  expect(running).toBeDefined();
  await expect.poll(() => running?.isAlive()).toBe(false);
  full.mockRestore();
  expect(saidIn(await test.alpha.chat(session, { text: '/say on we go' }))).toBe('on we go');
});

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { framesOf, sessionPath, untilFrame } from './support/client.ts';
import { openTestService, type TestService } from './support/in-process.ts';

let test: TestService;
beforeAll(async () => {
  test = await openTestService({ isSingleTenant: true });
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
});

const session = sessionPath('coder', 's');

it('tells of a workspace, a chat, its calls and their output, in their order', async () => {
  const frames = framesOf(await test.alpha.request('GET', '/v1/events'));
  await test.alpha.chat(session, { text: '/run echo to be heard' });
  const heard: { type: string; [field: string]: unknown }[] = [];
  await untilFrame(frames, ({ id, event, data }) => {
    const told = JSON.parse(data) as (typeof heard)[number];
    expect([id, event]).toEqual([heard.length + 1, told.type]);
    heard.push(told);
    return told.type === 'chat-ended';
  });
  expect(heard.map(({ type }) => type)).toEqual([
    'workspace-created',
    'chat-started',
    'tool-started',
    'tool-output',
    'tool-ended',
    'chat-ended',
  ]);
  const { workspaceId } = await test.alpha.json<{ workspaceId: string }>('GET', session);
  expect(heard.every((told) => told['workspaceId'] === workspaceId)).toBe(true);
  expect(heard[3]).toMatchObject({
    agentId: 'coder',
    sessionId: 's',
    tool: 'Bash',
    text: 'to be heard\n',
    isCut: false,
  });
  await frames.return();

  const again = framesOf(await test.alpha.request('GET', '/v1/events', { headers: { 'Last-Event-ID': '4' } }));
  expect((await again.next()).value).toMatchObject({ id: 5, event: 'tool-ended' });
  await again.return();
  const one = framesOf(
    await test.alpha.request('GET', '/v1/events?sessionId=other', { headers: { 'Last-Event-ID': '0' } }),
  );
  await test.alpha.chat(sessionPath('coder', 'other'), { text: '/say hi' });
  expect((await one.next()).value).toMatchObject({ event: 'chat-started' });
  await one.return();
});

it('answers HEAD, and keeps nothing going for it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const response = await test.alpha.request('HEAD', '/v1/events');
    expect([response.status, response.body]).toEqual([200, null]);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/u);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('says how much a client has missed', async () => {
  const { workspaceId } = await test.alpha.json<{ workspaceId: string }>('GET', session);
  for (let number = 0; number < 1_200; number += 1) test.service.tell({ type: 'mcps-changed' }, { workspaceId });
  const late = framesOf(await test.alpha.request('GET', '/v1/events', { headers: { 'Last-Event-ID': '1' } }));
  const missed = await late.next();
  expect(missed.value).toMatchObject({ event: 'missed' });
  const { count } = JSON.parse(missed.value?.data ?? '{}') as { count: number };
  expect((await late.next()).value).toMatchObject({ id: count + 2 });
  await late.return();
});

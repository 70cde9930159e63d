import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunksOf, framesOf, saidIn, sessionPath, textIn, untilFrame } from './support/client.ts';
import { openTestService, type TestService, TOKENS } from './support/in-process.ts';

let test: TestService;
beforeAll(async () => {
  test = await openTestService();
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
});

const user = (text: string, id = 'm1'): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });

describe('a chat', () => {
  it('works with tools, streams what happens, and is remembered', async () => {
    const session = sessionPath('coder', 'tour');
    const response = await test.alpha.request('POST', `${session}/chat`, { json: { message: user('Hello there') } });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/u);
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    const chunks = await chunksOf(response);
    expect(chunks.at(0)?.type).toBe('start');
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    const called = chunks.flatMap((chunk) => (chunk.type === 'tool-input-available' ? [chunk.toolName] : []));
    expect(called).toEqual(['Glob', 'Write', 'Read']);
    expect(saidIn(chunks)).toContain('Hello there');

    const [asked, answered, ...others] = await test.alpha.messages(session);
    expect(asked).toEqual(user('Hello there'));
    expect(textIn(answered)).toBe(saidIn(chunks));
    expect(others).toEqual([]);
    expect(await test.alpha.json('GET', session)).toMatchObject({ title: 'Hello there', state: 'idle', messages: 2 });
  });

  it('goes on with its history', async () => {
    const session = sessionPath('coder', 'twice');
    await test.alpha.chat(session, { text: 'one' });
    const chunks = await test.alpha.chat(session, { text: 'two' });
    expect(saidIn(chunks)).toContain('notes/2.md');
    expect((await test.alpha.messages(session)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('takes what useChat sends by default', async () => {
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${sessionPath('coder', 'use-chat')}/chat`,
      headers: { Authorization: `Bearer ${TOKENS.alpha}` },
      fetch: async (input, init) => await test.fetch(input as string, init),
    });
    const messages = [user('/say first', 'u1')];
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'any',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream })) last = message;
    expect(textIn(last)).toBe('first');
    const again = await transport.reconnectToStream({ chatId: 'any' });
    expect(again).toBeNull();
  });

  it('answers anew where it is asked to, and forgets what came after an edited message', async () => {
    const session = sessionPath('coder', 'edited');
    await test.alpha.chat(session, { message: user('/say one', 'u1') });
    await test.alpha.chat(session, { message: user('/say two', 'u2') });
    await test.alpha.chat(session, { trigger: 'regenerate-message' });
    expect((await test.alpha.messages(session)).map(textIn)).toEqual(['/say one', 'one', '/say two', 'two']);
    await test.alpha.chat(session, { message: user('/say three', 'u1') });
    expect((await test.alpha.messages(session)).map(textIn)).toEqual(['/say three', 'three']);
  });

  it('tells of a model that fails, and the session goes on', async () => {
    const session = sessionPath('coder', 'failing');
    const chunks = await test.alpha.chat(session, { text: '/fail The provider is away.' });
    expect(chunks).toContainEqual({
      type: 'error',
      errorText: expect.stringContaining('The provider is away.') as string,
    });
    expect(saidIn(await test.alpha.chat(session, { text: '/say still here' }))).toBe('still here');
  });

  it.each([
    ['nothing', {}],
    [
      'an assistant message that answers nothing',
      { message: { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'x' }] } },
    ],
    ['a system message', { message: { id: 's', role: 'system', parts: [{ type: 'text', text: 'x' }] } }],
    [
      'a file by its URL, which the service would fetch',
      { message: { role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'http://169.254.169.254/x' }] } },
    ],
    ['a mode that is none', { text: 'x', permissionMode: 'anything' }],
  ])('refuses %s', async (_what, json) => {
    const response = await test.alpha.request('POST', `${sessionPath('coder', 'refused')}/chat`, { json });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'request-invalid' } });
    expect((await test.alpha.request('GET', sessionPath('coder', 'refused'))).status).toBe(404);
  });
});

describe('a turn under way', () => {
  const hang = async (session: string): Promise<ReturnType<typeof framesOf>> => {
    const frames = framesOf(await test.alpha.request('POST', `${session}/chat`, { json: { text: '/hang' } }));
    await untilFrame(frames, ({ data }) => data.includes('Thinking'));
    return frames;
  };

  it('is the only one of its session', async () => {
    const session = sessionPath('coder', 'busy');
    const frames = await hang(session);
    expect(await test.alpha.json('GET', session)).toMatchObject({ state: 'running' });
    const second = await test.alpha.request('POST', `${session}/chat`, { json: { text: '/say no' } });
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ error: { code: 'chat-in-progress', isRetryable: true } });
    // Another session of the agent is not concerned.
    expect(saidIn(await test.alpha.chat(sessionPath('coder', 'free'), { text: '/say yes' }))).toBe('yes');
    await test.alpha.json('POST', `${session}/chat/stop`);
    await frames.return();
  });

  it('goes on without its client, who comes back to it', async () => {
    const session = sessionPath('coder', 'resumed');
    const frames = await hang(session);
    await frames.return();
    const whole = framesOf(await test.alpha.request('GET', `${session}/chat/stream`));
    const first = await whole.next();
    expect(first.value).toMatchObject({ id: 1, data: expect.stringContaining('"start"') as string });
    await untilFrame(whole, ({ data }) => data.includes('Thinking'));
    const rest = framesOf(
      await test.alpha.request('GET', `${session}/chat/any-id/stream`, { headers: { 'Last-Event-ID': '4' } }),
    );
    expect((await rest.next()).value).toMatchObject({ id: 5 });
    const [, answer] = await test.alpha.messages(session);
    expect(textIn(answer)).toContain('Thinking');

    expect(await test.alpha.json('POST', `${session}/chat/stop`)).toEqual({ stopped: true });
    const ends = await Promise.all([whole, rest].map((stream) => untilFrame(stream, ({ data }) => data === '[DONE]')));
    expect(ends).toHaveLength(2);
    expect((await test.alpha.request('GET', `${session}/chat/stream`)).status).toBe(204);
    expect(await test.alpha.json('POST', `${session}/chat/stop`)).toEqual({ stopped: false });
  });

  it('keeps what it said when it is stopped, and lets the next one begin', async () => {
    const session = sessionPath('coder', 'stopped');
    const frames = await hang(session);
    await test.alpha.json('POST', `${session}/chat/stop`);
    await frames.return();
    const [, answer] = await test.alpha.messages(session);
    expect(textIn(answer)).toContain('Thinking about it');
    expect(answer?.parts.every((part) => !('state' in part) || part.state !== 'streaming')).toBe(true);
    expect(saidIn(await test.alpha.chat(session, { text: '/say next' }))).toBe('next');
  });
});

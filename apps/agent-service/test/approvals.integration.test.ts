import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saidIn, sessionPath, textIn } from './support/client.ts';
import { openTestService, type TestService, TOKENS } from './support/in-process.ts';

let test: TestService;
beforeAll(async () => {
  test = await openTestService({ permissionMode: 'ask' });
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
});

const approvalIds = (chunks: readonly UIMessageChunk[]): readonly string[] =>
  chunks.flatMap((chunk) => (chunk.type === 'tool-approval-request' ? [chunk.approvalId] : []));

async function read(session: string, path: string): Promise<string | undefined> {
  const { workspaceId } = await test.alpha.json<{ workspaceId: string }>('GET', session);
  const response = await test.alpha.request('GET', `/v1/workspaces/${workspaceId}/files/content?path=${path}`);
  return response.ok ? await response.text() : undefined;
}

describe('approvals', () => {
  it('waits for one, does what was approved, and goes on with the same message', async () => {
    const session = sessionPath('coder', 'approved');
    const asked = await test.alpha.chat(session, { text: '/write approved.txt yes' });
    const [id] = approvalIds(asked);
    expect(asked.at(-1)).toMatchObject({ type: 'finish' });
    expect(await read(session, 'approved.txt')).toBeUndefined();
    expect(await test.alpha.json('GET', session)).toMatchObject({ state: 'awaiting-approval' });

    const done = await test.alpha.chat(session, { approvals: [{ id, approved: true }] });
    expect(saidIn(done)).toContain('Created');
    expect(await read(session, 'approved.txt')).toBe('yes');
    const messages = await test.alpha.messages(session);
    expect(messages).toHaveLength(2);
    expect(messages[1]?.parts.filter(isToolUIPart).map(({ state }) => state)).toEqual(['output-available']);
    expect(await test.alpha.json('GET', session)).toMatchObject({ state: 'idle' });
  });

  it('does not do what was denied, and says so to the model', async () => {
    const session = sessionPath('coder', 'denied');
    const [id] = approvalIds(await test.alpha.chat(session, { text: '/write denied.txt no' }));
    const done = await test.alpha.chat(session, { approvals: [{ id, approved: false, reason: 'not that file' }] });
    expect(saidIn(done)).toContain('not that file');
    expect(await read(session, 'denied.txt')).toBeUndefined();
    expect(await test.alpha.json('GET', session)).toMatchObject({ state: 'idle' });
  });

  it('takes a new message for a denial', async () => {
    const session = sessionPath('coder', 'superseded');
    const [id] = approvalIds(await test.alpha.chat(session, { text: '/write old.txt x' }));
    expect(saidIn(await test.alpha.chat(session, { text: '/say something else' }))).toBe('something else');
    const late = await test.alpha.request('POST', `${session}/chat`, { json: { approvals: [{ id, approved: true }] } });
    expect(late.status).toBe(409);
    expect(await late.json()).toMatchObject({ error: { code: 'approval-not-pending' } });
    expect(await read(session, 'old.txt')).toBeUndefined();
  });

  it('works by what useChat sends, of which it believes the answers alone', async () => {
    const session = sessionPath('coder', 'use-chat');
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${session}/chat`,
      headers: { Authorization: `Bearer ${TOKENS.alpha}` },
      fetch: async (input, init) => await test.fetch(input as string, init),
    });
    const send = async (messages: UIMessage[]): Promise<UIMessage | undefined> => {
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: 'c',
        messageId: undefined,
        messages,
        abortSignal: undefined,
      });
      const before = messages.at(-1);
      let last: UIMessage | undefined;
      const base = before?.role === 'assistant' ? { message: before } : {};
      for await (const message of readUIMessageStream({ ...base, stream })) last = message;
      return last;
    };
    const asked: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: '/write mine.txt honest' }] };
    const waiting = await send([asked]);
    if (waiting === undefined) throw new Error('Nothing was answered.');
    const parts = waiting.parts.map((part): UIMessage['parts'][number] => {
      if (!isToolUIPart(part) || part.state !== 'approval-requested') return part;
      const approval = { ...part.approval, approved: true };
      // A client that would have another call approved than the one that was asked for.
      return { ...part, state: 'approval-responded', input: { file_path: 'mine.txt', content: 'forged' }, approval };
    });
    const answered = [asked, { ...waiting, parts }];
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: answered })).toBe(true);
    const done = await send(answered);
    expect(textIn(done)).toContain('Created');
    expect(await read(session, 'mine.txt')).toBe('honest');
  });

  it('asks for nothing that changes nothing, and has no other tools where that is the mode', async () => {
    const session = sessionPath('coder', 'modes');
    expect(approvalIds(await test.alpha.chat(session, { text: '/call Glob {"pattern":"*"}' }))).toEqual([]);
    const readOnly = await test.alpha.chat(session, { text: '/write no.txt x', permissionMode: 'read-only' });
    expect(approvalIds(readOnly)).toEqual([]);
    expect(await read(session, 'no.txt')).toBeUndefined();
    expect(await test.alpha.json('GET', session)).toMatchObject({ permissionMode: 'read-only' });
    await test.alpha.chat(session, { text: '/write yes.txt x', permissionMode: 'full' });
    expect(await read(session, 'yes.txt')).toBe('x');
  });
});

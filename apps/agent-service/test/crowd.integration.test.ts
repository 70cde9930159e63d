import { afterAll, beforeAll, expect, it } from 'vitest';
import { saidIn, sessionPath } from './support/client.ts';
import { openTestService, type TestService } from './support/in-process.ts';

const CHATS = 200;
const AGENTS = 20;

let test: TestService;
beforeAll(async () => {
  test = await openTestService();
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
});

it(`has ${CHATS} chats at once, each with its own answer`, { timeout: 600_000 }, async () => {
  const tenants = [test.alpha, test.beta];
  const answers = await Promise.all(
    Array.from({ length: CHATS }, async (_, index) => {
      const client = tenants[index % tenants.length] ?? test.alpha;
      const session = sessionPath(`agent-${index % AGENTS}`, `chat-${index}`);
      const text = `This is chat ${index}.`;
      const chunks = await client.chat(session, { text: `/write chats/${index}.txt ${text}` });
      const read = await client.chat(session, { text: `/read chats/${index}.txt` });
      return { wrote: saidIn(chunks), isRight: saidIn(read).includes(text), messages: await client.messages(session) };
    }),
  );
  expect(answers.filter(({ wrote }) => !wrote.startsWith('Created'))).toEqual([]);
  expect(answers.filter(({ isRight }) => !isRight)).toEqual([]);
  expect(answers.filter(({ messages }) => messages.length !== 4)).toEqual([]);
  const { workspaces } = await test.alpha.json<{ workspaces: unknown[] }>('GET', '/v1/workspaces');
  expect(workspaces).toHaveLength(AGENTS / tenants.length);
  expect(test.service.turns.size).toBe(0);
});

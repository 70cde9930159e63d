import { MCPProtocolViolatedError, silentLogger } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { listAllTools } from './list-all-tools.ts';

type Page = Readonly<Record<string, unknown>>;
const list = (page: (cursor: string | undefined) => Page): ReturnType<typeof listAllTools> =>
  listAllTools({ name: 's', logger: silentLogger, requestPage: (cursor) => Promise.resolve(page(cursor)) });
const tool = (name: unknown): Page => ({ name, inputSchema: { type: 'object' } });

describe('listAllTools', () => {
  it('goes on after an empty page and with an empty cursor, which are not the end', async () => {
    const pages: Record<string, Page> = {
      first: { tools: [tool('a')], nextCursor: '' },
      '': { tools: [], nextCursor: 'last' },
      last: { tools: [tool('b')], nextCursor: null },
    };
    const tools = await list((cursor) => pages[cursor ?? 'first'] ?? {});
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('takes a tool without a usable schema for one without parameters, and leaves out what is none', async () => {
    const odd = { name: 'odd', inputSchema: null, extra: 1 };
    expect(await list(() => ({ tools: [odd, tool(7), null, 'x'] }))).toEqual([
      { name: 'odd', inputSchema: { type: 'object', properties: {} }, extra: 1 },
    ]);
  });

  it('refuses a list that is none, a cursor that comes again, and lists without end', async () => {
    const many = Array.from({ length: 6000 }, (_, index) => tool(`t${index}`));
    let page = 0;
    const broken = [
      () => ({}),
      () => ({ tools: {} }),
      () => ({ tools: [], nextCursor: 'again' }),
      () => ({ tools: [], nextCursor: String(++page) }),
      (cursor: string | undefined) => ({ tools: many, nextCursor: cursor === undefined ? 'b' : undefined }),
    ];
    for (const answer of broken) await expect(list(answer)).rejects.toThrow(MCPProtocolViolatedError);
  });
});

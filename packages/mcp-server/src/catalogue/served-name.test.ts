import { describe, expect, it } from 'vitest';
import { servedToolName } from './served-name.ts';

describe('servedToolName', () => {
  it('joins short names', () => {
    expect(servedToolName('files', 'read_text_file')).toBe('files__read_text_file');
  });

  it('keeps to 40 characters, stably, and tells long names apart', () => {
    const one = servedToolName('a-server-with-a-long-name', 'a_tool_with_a_long_name_1');
    const other = servedToolName('a-server-with-a-long-name', 'a_tool_with_a_long_name_2');
    expect([one.length, other.length]).toStrictEqual([40, 40]);
    expect(one).toBe(servedToolName('a-server-with-a-long-name', 'a_tool_with_a_long_name_1'));
    expect(one).not.toBe(other);
    expect(one).toMatch(/^a-server-with-a-long-name__a_to_[0-9a-f]{8}$/u);
  });

  it.each([
    ['a server called "a__b"', ['a__b', 'c'], ['a', 'b__c']],
    ['a server that ends in "_"', ['a_', 'b'], ['a', '_b']],
    ['characters that are not legal', ['a', 'ns.do'], ['a', 'ns:do']],
    ['a name that looks hashed', ['a', 'ns.do'], ['a', servedToolName('a', 'ns.do').slice('a__'.length)]],
  ])('never takes one for another: %s', (_what, one, other) => {
    const names = [one, other].map(([server = '', tool = '']) => servedToolName(server, tool));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,40}$/u);
  });
});

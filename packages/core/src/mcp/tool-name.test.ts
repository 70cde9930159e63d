import { describe, expect, it } from 'vitest';
import { mcpToolName } from './tool-name.ts';

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;

describe('mcpToolName', () => {
  it('joins legal names as they are', () => {
    expect(mcpToolName('files', 'read_file')).toBe('mcp__files__read_file');
    expect(mcpToolName('my-server', 'a__b')).toBe('mcp__my-server__a__b');
  });

  it('is the same each time', () => {
    expect(mcpToolName('s', 'ns:do')).toBe('mcp__s__ns_do_99cb075a798f8daa');
    expect(mcpToolName('s', 'ns:do')).toBe(mcpToolName('s', 'ns:do'));
  });

  it('[M13] [M14] makes legal and different names of illegal ones', () => {
    const tools = ['ns:do', 'ns.do', 'ns_do', 'ns/do', 'ns do', '日本', '中国', '', ' ', '😀', '\ud800', '\udc00'];
    const names = tools.map((tool) => mcpToolName('s', tool));
    for (const name of names) expect(name).toMatch(LEGAL);
    // Lone surrogates are one and the same once encoded, but JSON escapes them first.
    expect(new Set(names).size).toBe(tools.length);
  });

  it('cuts long names to 64 characters and keeps them apart', () => {
    const names = ['b', 'c'].map((end) => mcpToolName('server', 'a'.repeat(200) + end));
    for (const name of names) expect(name).toHaveLength(64);
    expect(names[0]).not.toBe(names[1]);
    expect(mcpToolName('s'.repeat(128), 'a')).toMatch(LEGAL);
    const fits = 'x'.repeat(64 - 'mcp__s__'.length);
    expect(mcpToolName('s', fits)).toBe(`mcp__s__${fits}`);
  });

  it('keeps servers and tools apart wherever the border could be read in two ways', () => {
    const pairs = [
      ['a', 'b__c'],
      ['a__b', 'c'],
      ['a', '_b'],
      ['a_', 'b'],
      ['a__', 'b'],
      ['a', '__b'],
    ] as const;
    const names = pairs.map(([server, tool]) => mcpToolName(server, tool));
    expect(new Set(names).size).toBe(pairs.length);
    for (const name of names) expect(name).toMatch(LEGAL);
  });

  it('gives no tool the name that another one has by its hash', () => {
    const hashed = mcpToolName('s', 'ns:do');
    const impostor = hashed.slice('mcp__s__'.length);
    expect(mcpToolName('s', impostor)).not.toBe(hashed);
  });
});

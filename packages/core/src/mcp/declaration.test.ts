import { describe, expect, it } from 'vitest';
import { parseAgentScopeSpec, parseMcpDeclarations, toAgentScopeSpec } from './declaration.ts';

describe('MCP declarations', () => {
  it('fill in what is left out', () => {
    expect(parseMcpDeclarations({ name: 'a', command: 'run' })).toEqual([
      { name: 'a', transport: 'stdio', command: 'run', args: [], env: {}, isStateful: true },
    ]);
    expect(parseMcpDeclarations({ name: 'a', url: 'http://127.0.0.1/mcp' })).toEqual([
      { name: 'a', transport: 'http', url: 'http://127.0.0.1/mcp', headers: {}, isStateful: false },
    ]);
  });

  it.each([
    ['https://x.example/sse', 'sse'],
    ['https://x.example/sse?a=/mcp', 'sse'],
    ['https://x.example/messages/', 'sse'],
    ['https://x.example/mcp?next=/sse', 'http'],
    ['https://x.example/sse/', 'http'],
  ])('go by the path of %s', (url, transport) => {
    expect(parseMcpDeclarations({ name: 'a', url })[0]?.transport).toBe(transport);
  });

  it("come back from AgentScope's form as they went in", () => {
    const [stdio] = parseMcpDeclarations({
      name: 'a',
      command: 'run',
      args: ['x'],
      env: { A: '1' },
      cwd: '/w',
      enableTools: ['t'],
      executionTimeoutMs: 1_500,
    });
    const [http] = parseMcpDeclarations({
      name: 'b',
      url: 'https://x.example/mcp',
      timeoutMs: 12_500,
      isStateful: true,
    });
    for (const declaration of [stdio, http]) {
      if (declaration === undefined) throw new Error('a declaration is missing');
      expect(parseAgentScopeSpec(toAgentScopeSpec(declaration))).toEqual(declaration);
    }
  });

  it('say which field is wrong', () => {
    expect(() => parseMcpDeclarations({ name: 'a', command: 'run', args: 'x' as never })).toThrow(/args/);
    expect(() => parseMcpDeclarations({ mcpServers: { 'my server': { command: 'x' } } })).toThrow(/my server/);
    expect(() => parseMcpDeclarations({ mcpServers: [] as never })).toThrow(/mcpServers/);
  });
});

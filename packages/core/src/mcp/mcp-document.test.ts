import { describe, expect, it } from 'vitest';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import { McpDocument } from './mcp-document.ts';

const path = '/workspace/.mcp';

describe('McpDocument', () => {
  it('reads an array as what the workspace itself declares', () => {
    const document = McpDocument.parse('[{"name":"a"}]', path);
    expect(document.entriesFor({})).toEqual([{ name: 'a' }]);
    expect(document.entriesFor({ agentId: 'x', sessionId: 'y' })).toEqual([{ name: 'a' }]);
  });

  it('looks up session, agent, workspace; an empty list means none', () => {
    const text = '{"version":2,"mcps":{"":{"":["w"]},"a":{"":["agent"],"s":["session"],"none":[]}}}';
    const document = McpDocument.parse(text, path);
    expect(document.entriesFor({ agentId: 'a', sessionId: 's' })).toEqual(['session']);
    expect(document.entriesFor({ agentId: 'a', sessionId: 'none' })).toEqual([]);
    expect(document.entriesFor({ agentId: 'a', sessionId: 't' })).toEqual(['agent']);
    expect(document.entriesFor({ agentId: 'b', sessionId: 's' })).toEqual(['w']);
  });

  it('leaves a scope that it does not name to the defaults', () => {
    const document = McpDocument.parse('{"version":2,"mcps":{"a":{"s":[]}}}', path);
    expect(document.entriesFor({})).toBeUndefined();
    expect(document.entriesFor({ agentId: 'b' })).toBeUndefined();
  });

  it('becomes version 2 with the first scope, and keeps unknown fields of the file', () => {
    const scoped = McpDocument.parse('["x"]', path).withEntries({ agentId: 'a' }, ['y'], []);
    expect(JSON.parse(scoped.toString())).toEqual({ version: 2, mcps: { '': { '': ['x'] }, a: { '': ['y'] } } });
    const future = McpDocument.parse('{"version":2,"mcps":{},"note":"kept"}', path);
    expect(JSON.parse(future.withEntries({}, ['z'], ['default']).toString())).toEqual({
      version: 2,
      mcps: { '': { '': ['z'] } },
      note: 'kept',
    });
  });

  it.each([
    ['{', 'JSON'],
    ['null', 'neither'],
    ['{"version":3,"mcps":{}}', 'version 3'],
    ['{"version":2,"mcps":{"a":[]}}', 'neither'],
    ['{"mcpServers":{}}', 'neither'],
  ])('refuses %s and says why', (text, reason) => {
    expect(() => McpDocument.parse(text, path)).toThrow(StateFileInvalidError);
    expect(() => McpDocument.parse(text, path)).toThrow(reason);
  });
});

import { describe, expect, it } from 'vitest';
import { attachmentSchemas } from './attachments.ts';
import { eventSchema } from './events.ts';
import { execSchemas } from './exec.ts';
import { mcpQuery, mcpSchemas } from './mcp.ts';
import { backendOperations } from './operations/backend-operations.ts';
import { routePath, ROUTES } from './protocol.ts';
import { parseAnswer, parseRequest, toWire } from './wire-schema.ts';

describe('the schemas of the wire', () => {
  it('tell what is wrong, and on which side', () => {
    const { stat } = backendOperations();
    expect(() => parseRequest(stat.input, { path: 1 }, 'stat')).toThrow(
      expect.objectContaining({
        code: 'gateway-request-invalid',
        details: { operation: 'stat', reason: expect.stringContaining('path') },
      }),
    );
    expect(() => parseAnswer(stat.output, { stat: {} }, 'stat')).toThrow(
      expect.objectContaining({
        code: 'gateway-answer-invalid',
        details: { operation: 'stat', reason: expect.stringContaining('stat.kind') },
      }),
    );
    expect(parseAnswer(stat.output, {}, 'stat')).toStrictEqual({});
  });

  it('leave out what is undefined and turn no limit into a number', () => {
    expect(toWire({ a: undefined, limit: Infinity, b: null })).toBe('{"limit":9007199254740991,"b":null}');
  });

  it('have a route of its own for each operation', () => {
    const routes = [...Object.values(backendOperations()).map(({ route }) => route), ...Object.values(ROUTES)];
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('take a declaration as its reader does', () => {
    const { register } = mcpSchemas();
    expect(parseRequest(register, { declaration: { name: 'a', command: 'x' } }, 'mcps')).toMatchObject({
      declaration: { name: 'a', transport: 'stdio', args: [], isStateful: true },
    });
    expect(() => parseRequest(register, { declaration: { name: 'a b', command: 'x' } }, 'mcps')).toThrow('a name has');
    expect(() => parseRequest(register, { declaration: { mcpServers: {} } }, 'mcps')).toThrow('one server');
  });

  it('keep what a server says that they do not know', () => {
    const result = { content: [{ type: 'hologram', data: 1 }], structuredContent: { x: 1 }, _meta: { y: 2 } };
    expect(parseAnswer(mcpSchemas().callAnswer, { result }, 'call')).toStrictEqual({ result });
  });

  it('take no token that could be guessed or break a header', () => {
    const { add } = attachmentSchemas();
    const request = { attachmentId: 'a', ttlMs: 60_000 };
    expect(add.safeParse({ ...request, token: 'x'.repeat(43) }).success).toBe(true);
    for (const token of ['short', `${'x'.repeat(43)}\n`, `${'x'.repeat(43)} `]) {
      expect(add.safeParse({ ...request, token }).success).toBe(false);
    }
  });

  it('know each end of a command and each event', () => {
    const { endAnswer } = execSchemas();
    expect(parseAnswer(endAnswer, { end: { kind: 'exited', exitCode: 3 } }, 'end')).toStrictEqual({
      end: { kind: 'exited', exitCode: 3 },
    });
    expect(eventSchema().safeParse({ type: 'process-ended', id: '1', end: { kind: 'gone' } }).success).toBe(false);
  });

  it('hand on whatever a server puts into the content of a result, and nothing in its place', () => {
    const { callAnswer } = mcpSchemas();
    const answer = { result: { content: [null, 7, { odd: true }, { type: 'text', text: 'a' }], extra: 1 } };
    expect(parseAnswer(callAnswer, answer, 'tools/call')).toStrictEqual(answer);
    expect(callAnswer.safeParse({ result: { content: 'text' } }).success).toBe(false);
  });

  it('make paths of names with anything in them', () => {
    expect(routePath(ROUTES.mcpTool, { name: 'a', tool: 'x/y?z' })).toBe('/mcps/a/tools/x%2Fy%3Fz');
    expect(mcpQuery({ agentId: 'a&b', clientId: 'c' })).toBe('agentId=a%26b&clientId=c');
    expect(mcpQuery({})).toBe('');
  });
});

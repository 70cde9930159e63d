import type { McpDeclaration } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { redactDeclaration, Redactor } from './redactor.ts';

const declaration: McpDeclaration = {
  name: 'files',
  transport: 'stdio',
  command: 'server',
  args: [],
  env: { API_KEY: '${KEY}', AUTH_TOKEN: 'literal-token', ROOT: '/workspace', SHORT_KEY: '1' },
  isStateful: true,
};
const redactor = new Redactor({ declaration, secrets: { KEY: 's3cret', LONGER: 's3cret-and-more' } });

describe('redactDeclaration', () => {
  it('shows placeholders, and nothing else of the values', () => {
    const env = { API_KEY: '${KEY}', AUTH_TOKEN: '[redacted]', ROOT: '[redacted]', SHORT_KEY: '[redacted]' };
    expect(redactDeclaration(declaration)).toEqual({ ...declaration, env });
  });
});

describe('Redactor', () => {
  it('takes out secrets and what sounds like one, and nothing else', () => {
    expect(redactor.text('s3cret literal-token /workspace 1 KEY')).toBe('[redacted] [redacted] /workspace 1 KEY');
  });

  it('leaves no rest of a secret that holds another', () => {
    expect(redactor.text('as3cret-and-moreb')).toBe('a[redacted]b');
  });

  it('goes through values of all kinds, and leaves placeholders as they are', () => {
    expect(redactor.json({ declaration, restarts: 1, lines: ['s3cret', null, true] })).toEqual({
      declaration: { ...declaration, env: { ...declaration.env, AUTH_TOKEN: '[redacted]' } },
      restarts: 1,
      lines: ['[redacted]', null, true],
    });
  });

  it('knows the headers of a server on the network', () => {
    const web: McpDeclaration = {
      name: 'web',
      transport: 'http',
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer abcd', Accept: 'text/plain' },
      isStateful: false,
    };
    const webRedactor = new Redactor({ declaration: web, secrets: {} });
    expect(webRedactor.json(web.headers)).toEqual({ Authorization: '[redacted]', Accept: 'text/plain' });
    expect(webRedactor.text('abcd was refused')).toBe('[redacted] was refused');
  });
});

import { FileNotFoundError, GatewayUnreachableError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { translateFailure } from './translate-failure.ts';

const request = { operation: 'stat', method: 'POST', path: '/files/stat' } as const;
const coded = (code: string): Error => Object.assign(new Error('it broke'), { code });

describe('translateFailure', () => {
  it.each([
    ['UND_ERR_HEADERS_TIMEOUT', 'gateway-timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'gateway-timeout'],
    ['UND_ERR_HEADERS_OVERFLOW', 'gateway-answer-invalid'],
    ['UND_ERR_SOCKET', 'gateway-connection-lost'],
    ['ECONNRESET', 'gateway-connection-lost'],
    ['anything else', 'gateway-connection-lost'],
  ])('makes %s %s, which names the operation', (native, code) => {
    const cause = coded(native);
    expect(translateFailure(cause, request, 5)).toMatchObject({ code, cause, details: { operation: 'stat' } });
  });

  it('keeps what is ours, and says what a connection was for', () => {
    const ours = new FileNotFoundError({ path: '/a' });
    expect(translateFailure(ours, request, 5)).toBe(ours);
    const unreachable = new GatewayUnreachableError({ operation: 'a connection', reason: 'no engine' });
    expect(translateFailure(unreachable, request, 5).details).toEqual({ operation: 'stat', reason: 'no engine' });
  });
});

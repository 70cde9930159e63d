import { describe, expect, it } from 'vitest';
import { describeFailure, HttpStatusError, wasNeverSent } from './http-errors.ts';

const statusError = (status: number, body: string): HttpStatusError =>
  new HttpStatusError(new Response(null, { status }), body, new URL('https://host/mcp?key=secret'));

describe('HttpStatusError', () => {
  it('has the first part of the body, and nothing of the query', () => {
    const error = statusError(500, `  ${'x'.repeat(2000)}`);
    expect(error.excerpt).toBe('x'.repeat(500));
    expect(error.message).toContain('HTTP 500');
    expect(error.message).toContain('https://host/mcp');
    expect(error.message).not.toContain('secret');
  });

  it('knows an unknown session', () => {
    expect(statusError(404, '').isSessionUnknown).toBe(true);
    expect(statusError(400, 'Bad Request: No valid session ID provided').isSessionUnknown).toBe(true);
    expect(statusError(400, 'bad arguments').isSessionUnknown).toBe(false);
    expect(statusError(500, 'session').isSessionUnknown).toBe(false);
  });
});

describe('what a failed fetch was about', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

  it('is found below the words of fetch', () => {
    const error = new TypeError('fetch failed', { cause: new AggregateError([refused]) });
    expect(describeFailure(error)).toBe('connect ECONNREFUSED 127.0.0.1:1');
    expect(wasNeverSent(error)).toBe(true);
  });

  it('is no refusal where something may have been sent', () => {
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    expect(wasNeverSent(new TypeError('fetch failed', { cause: reset }))).toBe(false);
    expect(wasNeverSent(undefined)).toBe(false);
    expect(describeFailure('words')).toBe('words');
  });
});

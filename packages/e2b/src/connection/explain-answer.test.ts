import { describe, expect, it } from 'vitest';
import { explainAnswer } from './explain-answer.ts';

function explain(status: number, body: string, contentType = 'application/json'): string | undefined {
  return explainAnswer({ status, contentType, bytes: Buffer.from(body) }, 'a request')?.code;
}

const says = (message: string): string => JSON.stringify({ sandboxId: 'i1', message, code: 502 });

describe("an answer of E2B's proxy", () => {
  it.each<[number, string, string]>([
    [502, says('The sandbox was not found'), 'gateway-unreachable'],
    [502, says('The sandbox is running but port is not open'), 'gateway-connection-lost'],
    [502, says('sandbox timeout'), 'gateway-connection-lost'],
    [502, '<html>Bad gateway</html>', 'gateway-connection-lost'],
    [503, '', 'gateway-connection-lost'],
    [504, '', 'gateway-connection-lost'],
    [409, says('The sandbox is pausing'), 'gateway-unreachable'],
    [429, says('Too many connections'), 'gateway-unreachable'],
    [403, says('Missing traffic access token'), 'gateway-unauthorized'],
  ])('is told from the gateway: %i %s is %s [E15]', (status, body, code) => {
    expect(explain(status, body)).toBe(code);
  });

  it('is none where the gateway itself says what is wrong [E15]', () => {
    const problem = JSON.stringify({ status: 404, code: 'file-not-found', detail: 'ENOENT: sandbox was not found' });
    expect(explain(502, problem, 'application/problem+json')).toBeUndefined();
    expect(explain(404, problem, 'application/problem+json')).toBeUndefined();
    expect(explain(404, says('no such file or directory'))).toBeUndefined();
  });

  it('keeps the words of the proxy', () => {
    const bytes = Buffer.from(says('The sandbox was not found'));
    const error = explainAnswer({ status: 502, contentType: 'application/json', bytes }, 'a request');
    expect(error?.message).toContain("E2B's proxy answers 502 (The sandbox was not found)");
  });
});

import { CONTENT_TYPES, type Problem, toProblem } from '@agent-workspace/gateway-protocol';

/** For a caller that was told that something is busy. */
const RETRY_AFTER_SECONDS = 1;

/** An error as an answer. @see RFC 9457 */
export function problemResponse(error: unknown): Response {
  return fromProblem(toProblem(error));
}

export function fromProblem(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': CONTENT_TYPES.problem,
      ...(problem.status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(problem.status === 429 && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
      ...headers,
    },
  });
}

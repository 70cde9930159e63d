import { GatewayFailedError, WorkspaceError } from '@agent-workspace/core';
import { KNOWN_ERRORS } from './error-classes.ts';
import type { Problem } from './problem.ts';

/** An error as it travels. One that is not ours becomes `gateway-failed`, without its stack. */
export function toProblem(error: unknown): Problem {
  const ours = WorkspaceError.isInstance(error)
    ? error
    : new GatewayFailedError({ problem: error instanceof Error ? error.message : String(error) }, { cause: error });
  return {
    type: `urn:agent-workspace:error:${ours.code}`,
    title: ours.name,
    status: KNOWN_ERRORS.get(ours.code)?.status ?? 500,
    detail: ours.message,
    code: ours.code,
    details: ours.details,
    isRetryable: ours.isRetryable,
  };
}

import { GatewayAnswerInvalidError, GatewayProtocolError, type WorkspaceError } from '@agent-workspace/core';
import { KNOWN_ERRORS } from './error-classes.ts';
import type { Problem } from './problem.ts';

/**
 * The error that the gateway met, of the same class as if it had happened here. A code that this
 * version does not know becomes `gateway-protocol-error`.
 */
export function reviveError(problem: Problem): WorkspaceError {
  const { code, details, status, detail } = problem;
  const known = KNOWN_ERRORS.get(code);
  if (known === undefined) {
    return new GatewayProtocolError({ remoteCode: code, status, problem: detail, remoteDetails: details });
  }
  try {
    return new known.errorClass(details as never);
  } catch (error) {
    // The message is made of the details, which the peer may have left out.
    const reason = `the details of ${code} are incomplete`;
    return new GatewayAnswerInvalidError({ operation: 'the request', reason }, { cause: error });
  }
}

import { GatewayUnreachableError } from '@agent-workspace/core';

const operation = 'a connection';

export function notStarted(): GatewayUnreachableError {
  return new GatewayUnreachableError({ operation, reason: 'its sandbox is not started' });
}

/** What nobody waits for does not wake it. */
export function asleep(): GatewayUnreachableError {
  return new GatewayUnreachableError({ operation, reason: 'its sandbox sleeps until the workspace is used' });
}

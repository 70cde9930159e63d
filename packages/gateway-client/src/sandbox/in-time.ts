import { GatewayStartFailedError, WorkspaceError } from '@agent-workspace/core';

export interface InTimeOptions {
  /** What is waited for, as the head of a sentence. */
  readonly what: string;
  readonly timeoutMs: number;
}

/**
 * Gives work a signal that ends it when its time is over.
 *
 * @throws `gateway-start-failed` if it was ended by that, and has no code of its own; else what the work throws
 */
export async function inTime<T>(
  { what, timeoutMs }: InTimeOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted || WorkspaceError.isInstance(error)) throw error;
    const reason = `${what} took longer than ${timeoutMs} ms; look at the load of what it runs on`;
    throw new GatewayStartFailedError({ reason }, { cause: error });
  }
}

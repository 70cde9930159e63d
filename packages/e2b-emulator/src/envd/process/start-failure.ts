import { ConnectError } from '../connect/connect-error.ts';

/** The machine has no room now: the same request may succeed later. */
const EXHAUSTED: readonly unknown[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC'];

/** What `Start` answers when the system does not start a process. */
export function toStartFailure(error: unknown, command: string): ConnectError {
  if (error instanceof ConnectError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const message = `error starting process '${command}': ${error instanceof Error ? error.message : String(error)}`;
  return new ConnectError(EXHAUSTED.includes(code) ? 'resource_exhausted' : 'invalid_argument', message, {
    cause: error,
  });
}

import { ConnectError } from '../connect/connect-error.ts';
import type { RunningProcess } from './running-process.ts';
import type { ProcessInput } from './requests.ts';

type Name = 'stdin' | 'tty';

function refusal(name: Name, reason: string, cause?: unknown): ConnectError {
  return new ConnectError('internal', `error writing to ${name}: ${reason}`, { cause });
}

async function write({ input, pid }: RunningProcess, name: Name, bytes: Buffer): Promise<void> {
  if (name === 'tty' && input.kind !== 'pty') {
    throw refusal(name, 'tty not assigned to process — input should be written to the stdin, not the tty');
  }
  if (name === 'stdin' && input.kind === 'pty') {
    throw refusal(name, 'tty assigned to process — input should be written to the pty, not the stdin');
  }
  if (input.kind === 'none') throw refusal(name, 'stdin not enabled or closed');
  try {
    await input.write(bytes);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_STREAM_WRITE_AFTER_END') throw refusal(name, 'stdin not enabled or closed', error);
    throw refusal(name, `error writing to ${name} of process '${pid}': ${String(error)}`, error);
  }
}

/**
 * Hands bytes to a process. Waits while it does not read.
 *
 * @throws ConnectError `internal` if it does not take any, `unimplemented` if there are none.
 */
export async function sendInput(process: RunningProcess, { stdin, pty }: ProcessInput): Promise<void> {
  if (pty !== undefined) await write(process, 'tty', pty);
  else if (stdin !== undefined) await write(process, 'stdin', stdin);
  else throw new ConnectError('unimplemented', 'invalid input type <nil>');
}

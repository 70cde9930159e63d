import type { CallContext } from '../connect/service.ts';
import type { EnvdState } from '../envd-state.ts';
import { commandLine } from './command-line.ts';
import type { PipePool } from './pipes.ts';
import { environment, workingDirectory } from './process-place.ts';
import { RunningProcess } from './running-process.ts';
import { spawnCommand } from './spawn-command.ts';
import { spawnTerminal } from './spawn-terminal.ts';
import type { Spawned } from './spawned.ts';
import { toStartFailure } from './start-failure.ts';
import type { StartRequest } from './requests.ts';

export interface StartProcessOptions {
  readonly request: StartRequest;
  readonly context: CallContext;
  readonly state: EnvdState;
  readonly pipes: PipePool;
}

/**
 * Starts what a request describes, as the user of the call.
 *
 * @throws ConnectError `invalid_argument` if it cannot be started, `resource_exhausted` if not now.
 */
export async function startProcess({ request, context, state, pipes }: StartProcessOptions): Promise<RunningProcess> {
  const { process: config, pty, tag, stdin } = request;
  const { user, timeoutMs } = context;
  const cwd = await workingDirectory(config, user, state);
  const command = [config.cmd, ...config.args];
  const options = { ...(await commandLine(command, user)), cwd, env: environment(config, user, state) };
  let spawned: Spawned;
  try {
    spawned =
      pty === undefined
        ? await spawnCommand({ ...options, hasStdin: stdin, pipes })
        : spawnTerminal({ ...options, size: pty.size });
  } catch (error) {
    throw toStartFailure(error, command.join(' '));
  }
  return new RunningProcess({ spawned, config, tag, timeoutMs: timeoutMs === 0 ? undefined : timeoutMs });
}

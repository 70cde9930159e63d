import { stat } from 'node:fs/promises';
import { ConnectError } from '../connect/connect-error.ts';
import type { EnvdState } from '../envd-state.ts';
import { resolvePath } from '../users/resolve-path.ts';
import type { EnvdUser } from '../users/user.ts';
import type { ProcessConfig } from './requests.ts';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Where a process starts.
 *
 * @throws ConnectError `invalid_argument`
 */
export async function workingDirectory(config: ProcessConfig, user: EnvdUser, state: EnvdState): Promise<string> {
  const path = resolvePath(config.cwd ?? '', user, state);
  try {
    if ((await stat(path)).isDirectory()) return path;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new ConnectError('invalid_argument', `cwd '${path}' does not exist`, { cause: error });
  }
  const command = [config.cmd, ...config.args].join(' ');
  throw new ConnectError('invalid_argument', `error starting process '${command}': chdir ${path}: not a directory`);
}

/** Of envd's own variables a process gets only `PATH`. */
export function environment(config: ProcessConfig, user: EnvdUser, state: EnvdState): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? DEFAULT_PATH,
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    ...state.envs,
    ...config.envs,
  };
}

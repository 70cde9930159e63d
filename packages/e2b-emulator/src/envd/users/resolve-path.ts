import { isAbsolute, join, resolve } from 'node:path';
import { ConnectError } from '../connect/connect-error.ts';
import type { EnvdState } from '../envd-state.ts';
import type { EnvdUser } from './user.ts';

function expandHome(path: string, user: EnvdUser): string {
  if (!path.startsWith('~')) return path;
  if (path.length > 1 && path[1] !== '/') {
    const reason = 'cannot expand user-specific home dir';
    throw new ConnectError('invalid_argument', `failed to expand path '${path}' for user '${user.name}': ${reason}`);
  }
  return join(user.home, path.slice(1));
}

/**
 * The path as envd understands it: nothing is the default workdir, else the home; `~` and relative paths begin
 * at the home. An absolute path stays as it is written, `..` and all.
 *
 * @throws ConnectError `invalid_argument` for the home of somebody else, such as `~root`
 */
export function resolvePath(path: string, user: EnvdUser, state: EnvdState): string {
  const expanded = expandHome(path === '' ? (state.defaultWorkdir ?? '') : path, user);
  return isAbsolute(expanded) ? expanded : resolve(user.home, expanded);
}

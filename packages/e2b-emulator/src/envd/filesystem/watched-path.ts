import { stat, statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConnectError } from '../connect/connect-error.ts';
import type { EnvdState } from '../envd-state.ts';
import { resolvePath } from '../users/resolve-path.ts';
import type { EnvdUser } from '../users/user.ts';
import type { WatchRequest } from './requests.ts';
import { describeError, isMissing } from './system-error.ts';

/** Magic numbers of NFS, CIFS, SMB, SMB2 and FUSE, whose servers do not tell this machine's kernel of changes. */
const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x6969, 0xff53_4d42, 0x517b, 0xfe53_4d42, 0x6573_5546]);

/**
 * The directory that a request wants watched.
 *
 * @throws ConnectError `not_found`, `invalid_argument`, `internal`
 */
export async function watchedPath(request: WatchRequest, user: EnvdUser, state: EnvdState): Promise<string> {
  const path = resolvePath(request.path, user, state);
  try {
    if (!(await stat(path)).isDirectory()) {
      throw new ConnectError('invalid_argument', `path ${path} not a directory`);
    }
    const { type } = await statfs(path);
    if (NETWORK_FILE_SYSTEMS.has(type) && !request.allowNetworkMounts) {
      throw new ConnectError('invalid_argument', `cannot watch path on network filesystem: ${path}`);
    }
    return resolve(path);
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    const reason = describeError(error, 'stat', path);
    if (isMissing(error)) throw new ConnectError('not_found', `path ${path} not found: ${reason}`, { cause: error });
    throw new ConnectError('internal', `error statting path ${path}: ${reason}`, { cause: error });
  }
}

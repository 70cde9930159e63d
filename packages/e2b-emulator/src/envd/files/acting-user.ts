import type { EnvdState } from '../envd-state.ts';
import { type EnvdUser, findUser } from '../users/user.ts';
import { FilesError } from './files-error.ts';

/**
 * Who acts: whom the request names, else the default user.
 *
 * @throws FilesError 401 if there is no such user, 400 if there is no name
 */
export async function actingUser(username: string | undefined, state: EnvdState): Promise<EnvdUser> {
  const name = username ?? state.defaultUser;
  if (username === undefined && name === '') throw new FilesError(400, 'username not provided');
  const user = await findUser(name);
  if (user === undefined) throw new FilesError(401, `error looking up user '${name}': user: unknown user ${name}`);
  return user;
}

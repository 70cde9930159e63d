import type { IncomingHttpHeaders } from 'node:http';
import { ConnectError } from './connect/connect-error.ts';
import type { EnvdState } from './envd-state.ts';
import { type EnvdUser, findUser } from './users/user.ts';

/** The user that `Authorization: Basic` names. There is no password: the token has let the caller in. */
function namedUser({ authorization }: IncomingHttpHeaders): string | undefined {
  const basic = /^basic (.*)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) return undefined;
  const [name, ...password] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return password.length > 0 ? name : undefined;
}

/**
 * Who acts in a call.
 *
 * @throws ConnectError `unauthenticated` if the sandbox has no such user.
 */
export async function authenticate(headers: IncomingHttpHeaders, state: EnvdState): Promise<EnvdUser> {
  const named = namedUser(headers);
  const user = await findUser(named ?? state.defaultUser);
  if (user !== undefined) return user;
  const problem = named === undefined ? `invalid default user: '${state.defaultUser}'` : `invalid username: '${named}'`;
  throw new ConnectError('unauthenticated', problem);
}

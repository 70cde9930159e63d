import { readFile } from 'node:fs/promises';
import type { EnvdUser } from './user.ts';

/** The names that an E2B template always has. */
const TEMPLATE_USERS: readonly string[] = ['user', 'root'];

/** Where `user`, `root` and whoever runs envd are one and the same. */
let soleHome: string | undefined;

/**
 * Makes whoever runs envd the only user, under the names `user`, `root` and its own: envd has no right to
 * be another, or the machine is not the sandbox's own.
 *
 * @param home the sandbox's home directory, absolute.
 */
export function useSoleUser(home: string): void {
  soleHome = home;
}

async function* records(path: string): AsyncGenerator<readonly string[]> {
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    if (line !== '' && !line.startsWith('#')) yield line.split(':');
  }
}

async function findInPasswd(isWanted: (user: EnvdUser) => boolean): Promise<EnvdUser | undefined> {
  for await (const [name, , uid, gid, , home] of records('/etc/passwd')) {
    if (name === undefined || uid === undefined || gid === undefined) continue;
    const user = { name, uid: Number(uid), gid: Number(gid), home: home === undefined || home === '' ? '/' : home };
    if (isWanted(user)) return user;
  }
  return undefined;
}

/** @returns `undefined` where there is no such user. */
export async function findUser(name: string): Promise<EnvdUser | undefined> {
  if (soleHome === undefined) return findInPasswd((user) => user.name === name);
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const own = await findInPasswd((user) => user.uid === uid);
  return TEMPLATE_USERS.includes(name) || name === own?.name ? { name, uid, gid, home: soleHome } : undefined;
}

/** Ids of the groups that the user is in, its own first. */
export async function findGroups(user: EnvdUser): Promise<readonly number[]> {
  const groups = [user.gid];
  for await (const [, , gid, members] of records('/etc/group')) {
    if (gid !== undefined && members?.split(',').includes(user.name) === true) groups.push(Number(gid));
  }
  return groups;
}

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { findGroups } from '../users/find-user.ts';
import type { EnvdUser } from '../users/user.ts';
import type { SpawnOptions } from './spawned.ts';

type CommandLine = Pick<SpawnOptions, 'file' | 'args' | 'uid' | 'gid'>;

const PROGRAM_DIRECTORIES = ['/usr/bin', '/bin'];

async function findProgram(name: string): Promise<string | undefined> {
  for (const directory of PROGRAM_DIRECTORIES) {
    const path = `${directory}/${name}`;
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // The next directory may have it.
    }
  }
  return undefined;
}

/**
 * How a command is started as a user. Like the real envd, it goes through `nice`, which says it itself, on
 * stderr and with code 127, when there is no such command.
 */
export async function commandLine(command: readonly string[], user: EnvdUser): Promise<CommandLine> {
  const nice = await findProgram('nice');
  const argv = nice === undefined ? command : [nice, '-n', '0', ...command];
  const [file = '', ...args] = argv;
  if (process.getuid?.() !== 0 || user.uid === 0) return { file, args };
  // Node changes the user but drops the groups, and a terminal would keep those of envd.
  const setpriv = await findProgram('setpriv');
  if (setpriv === undefined) return { file, args, uid: user.uid, gid: user.gid };
  const groups = (await findGroups(user)).join(',');
  const identity = ['--reuid', String(user.uid), '--regid', String(user.gid), '--groups', groups];
  return { file: setpriv, args: [...identity, '--', ...argv] };
}

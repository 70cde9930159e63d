import { randomBytes } from 'node:crypto';
import type { Sandbox } from 'e2b';

/** A directory of a case's own, absolute. */
export async function ownDirectory(sandbox: Sandbox): Promise<string> {
  const name = `t-${randomBytes(6).toString('hex')}`;
  await sandbox.files.makeDir(name);
  return (await sandbox.files.getInfo(name)).path;
}

/** What a command prints, without spaces around it. */
export async function outputOf(sandbox: Sandbox, command: string, user?: string): Promise<string> {
  return (await sandbox.commands.run(command, user === undefined ? {} : { user })).stdout.trim();
}

import { randomBytes } from 'node:crypto';

const PREFIX = '.aw-tmp-';

/** For a file or directory that is not ready yet, beside the one that it is going to be. */
export function temporaryName(): string {
  return `${PREFIX}${randomBytes(9).toString('base64url')}`;
}

/** Whether an entry is unfinished work, of a writer at work or of one that was killed. Lists leave it out. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(PREFIX);
}

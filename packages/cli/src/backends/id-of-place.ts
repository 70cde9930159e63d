import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

const ID_LENGTH = 32;

/**
 * For a workspace that is elsewhere: the same each time that it is started in this directory, so that it is found
 * again, and no other's.
 */
export function idOfPlace(directory: string): string {
  const hash = createHash('sha256').update(JSON.stringify([hostname(), process.getuid?.(), directory]));
  return `cli-${hash.digest('hex').slice(0, ID_LENGTH)}`;
}

import { WorkdirInvalidError } from '../errors/workdir-invalid-error.ts';

function reasonOf(error: unknown): 'missing' | 'not-a-directory' | 'permission-denied' | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'not-a-directory';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'permission-denied';
    case 'ENOENT':
      return 'missing';
    default:
      return undefined;
  }
}

/**
 * Makes or opens a workspace's directory on the host: what the file system refuses meanwhile is told
 * as what is wrong with that directory.
 *
 * @throws `workdir-invalid`
 */
export async function onHostWorkdir<T>(workdir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new WorkdirInvalidError({ workdir, reason }, { cause: error });
  }
}

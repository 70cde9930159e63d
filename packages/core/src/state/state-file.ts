import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { FileTooLargeError } from '../errors/file-too-large-error.ts';
import { NotAFileError } from '../errors/not-a-file-error.ts';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import type { Backend } from '../backend/backend.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a file that the workspace keeps and that an agent may have replaced.
 *
 * @returns `undefined` if there is none
 * @throws `state-file-invalid` if it is no regular file, too large or not UTF-8
 */
export async function readStateFile(backend: Backend, path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const { bytes } = await backend.readFile(path, { noFollow: true, maxBytes });
    return decoder.decode(bytes);
  } catch (error) {
    if (FileNotFoundError.isInstance(error)) return undefined;
    if (NotAFileError.isInstance(error)) {
      throw new StateFileInvalidError({ path, reason: 'it is no regular file' }, { cause: error });
    }
    if (FileTooLargeError.isInstance(error)) {
      throw new StateFileInvalidError({ path, reason: `it is larger than ${maxBytes} bytes` }, { cause: error });
    }
    if (error instanceof TypeError) {
      throw new StateFileInvalidError({ path, reason: 'it is not UTF-8 text' }, { cause: error });
    }
    throw error;
  }
}

import { closeSync, constants, fstatSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import { isErrno } from './translate-error.ts';
import { temporaryName } from './temporary-name.ts';

/** A file that is written before it gets its name. Disposing of it removes what has not been renamed. */
export class TemporaryFile implements Disposable {
  readonly path: string;
  readonly descriptor: number;
  #hasTemporaryName = true;

  private constructor(path: string, mode: number) {
    this.path = path;
    this.descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, mode);
  }

  /** @param mode permission bits, of which the umask takes its part */
  static beside(path: string, mode: number): TemporaryFile {
    return new TemporaryFile(posix.join(posix.dirname(path), temporaryName()), mode);
  }

  /**
   * Beside `path`, or, where that directory takes no new file, in the system's place for temporary
   * ones, from which content can only be copied: there it loses its name at once, and so leaves
   * nothing behind.
   */
  static besideOrElsewhere(path: string, mode: number): { file: TemporaryFile; isBeside: boolean } {
    try {
      return { file: TemporaryFile.beside(path, mode), isBeside: true };
    } catch (error) {
      if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
      const file = new TemporaryFile(posix.join(tmpdir(), temporaryName()), mode);
      rmSync(file.path);
      file.keep();
      return { file, isBeside: false };
    }
  }

  get gid(): bigint {
    return fstatSync(this.descriptor, { bigint: true }).gid;
  }

  /** To be called once its temporary name is gone, by a rename as a rule. */
  keep(): void {
    this.#hasTemporaryName = false;
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
    if (this.#hasTemporaryName) rmSync(this.path, { force: true });
  }
}

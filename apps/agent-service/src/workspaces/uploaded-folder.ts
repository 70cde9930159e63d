import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkUploadedPaths } from './uploaded-paths.ts';

/** A folder that came as the files in it, on this machine for as long as it is read. */
export class UploadedFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** @param files each named by its path in the folder. @throws `path-invalid`, `limit-exceeded` */
  static async create(files: readonly File[]): Promise<UploadedFolder> {
    // Before anything is written: so many files would fill the disk with folders.
    checkUploadedPaths(files.map(({ name }) => name));
    const folder = new UploadedFolder(await mkdtemp(join(tmpdir(), 'agent-service-upload-')));
    try {
      for (const file of files) {
        const target = join(folder.path, file.name);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, file.stream(), { flag: 'wx' });
      }
      return folder;
    } catch (error) {
      await folder[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

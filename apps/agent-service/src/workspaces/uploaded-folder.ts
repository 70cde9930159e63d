import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PathInvalidError } from '@agent-workspace/core';

/** A folder that came as the files in it, on this machine for as long as it is read. */
export class UploadedFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** @param files each named by its path in the folder. @throws `path-invalid` */
  static async create(files: readonly File[]): Promise<UploadedFolder> {
    const named = files.map((file) => ({ file, path: checked(file.name) }));
    const folder = new UploadedFolder(await mkdtemp(join(tmpdir(), 'agent-service-upload-')));
    try {
      for (const { file, path } of named) {
        const target = join(folder.path, path);
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

function checked(path: string): string {
  const isPlain = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (isPlain && !/[\\\0]/u.test(path)) return path;
  throw new PathInvalidError({
    path,
    reason: 'the name of a file has to be its path in the folder, with / in between',
  });
}

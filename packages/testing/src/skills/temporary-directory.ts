import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A file's content, with its mode where that matters, or a link. */
export type FixtureFile =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly mode: number }
  | { readonly link: string };

/** Files by their path, relative to the folder that they are made in. */
export type FixtureFiles = Readonly<Record<string, FixtureFile>>;

/** A directory on the host, removed when it is disposed of. */
export class TemporaryDirectory implements AsyncDisposable {
  /** Absolute, without links. */
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(files: FixtureFiles = {}): Promise<TemporaryDirectory> {
    const directory = new TemporaryDirectory(await realpath(await mkdtemp(join(tmpdir(), 'aw-fixture-'))));
    await directory.write(files);
    return directory;
  }

  at(path: string): string {
    return join(this.path, path);
  }

  async write(files: FixtureFiles): Promise<void> {
    for (const [name, file] of Object.entries(files)) {
      const path = this.at(name);
      await mkdir(dirname(path), { recursive: true });
      if (typeof file === 'string' || file instanceof Uint8Array) {
        await writeFile(path, file);
      } else if ('link' in file) {
        await symlink(file.link, path);
      } else {
        await writeFile(path, file.content);
        await chmod(path, file.mode);
      }
    }
  }

  async names(): Promise<readonly string[]> {
    return (await readdir(this.path)).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

import { open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ensureDirectories, giveTo } from '../filesystem/ensure-directories.ts';
import { type Metadata, writeMetadata } from '../filesystem/metadata.ts';
import { codeOf, describeError, isMissing } from '../filesystem/system-error.ts';
import type { EnvdUser } from '../users/user.ts';
import { FilesError } from './files-error.ts';

/** What an upload is answered with, for each file. */
export interface UploadedFile {
  readonly name: string;
  readonly path: string;
  readonly type: 'file';
  readonly metadata?: Metadata;
}

/** One file on its way to the disk. */
export interface Upload {
  /** Absolute. */
  readonly path: string;
  readonly body: Readable;
  readonly user: EnvdUser;
  readonly metadata: Metadata;
  /** `Content-Length` of the request. `undefined` where it does not say. */
  readonly requestBytes: number | undefined;
}

/** Who has read the file's content and cannot keep it gets to know how much of it there was. */
function noSpace(requestBytes: number | undefined, error: unknown): FilesError {
  const attempt = requestBytes === undefined ? '' : `attempted to write ${requestBytes} bytes: `;
  return new FilesError(507, `${attempt}not enough disk space available`, { cause: error });
}

interface Step {
  readonly doing: string;
  /** The call to the system. */
  readonly call: string;
  readonly path: string;
}

/** Runs a step of storing; what goes wrong in it is told by what was to be done. */
async function step<T>({ doing, call, path }: Step, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FilesError) throw error;
    throw new FilesError(500, `error ${doing}: ${describeError(error, call, path)}`, { cause: error });
  }
}

async function isExistingFile(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) throw new FilesError(400, `path is a directory: ${path}`);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Writes a file as it comes, over one that is there; what is made of it and above it is the user's. Its
 * metadata takes the place of what was there.
 *
 * @throws FilesError 400, 500, 507
 */
export async function storeUpload({ path, body, user, metadata, requestBytes }: Upload): Promise<UploadedFile> {
  const own = (): Promise<void> =>
    step({ doing: 'changing file ownership', call: 'chown', path }, () => giveTo(path, user));
  try {
    await ensureDirectories(dirname(path), user);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FilesError(500, `error ensuring directories: ${reason}`, { cause: error });
  }
  const isExisting = await step({ doing: 'getting file info', call: 'stat', path }, () => isExistingFile(path));
  if (isExisting) await own();
  const file = await step({ doing: 'opening file', call: 'open', path }, () => openForWriting(path));
  // The stream closes the file in the end, whatever comes of the upload.
  const content = file.createWriteStream();
  try {
    if (!isExisting) await own();
    await step({ doing: 'writing metadata', call: 'setxattr', path }, async () => writeMetadata(path, metadata));
    await pipeline(body, content);
  } catch (error) {
    content.destroy();
    if (codeOf(error) === 'ENOSPC') throw noSpace(requestBytes, error);
    if (error instanceof FilesError) throw error;
    throw new FilesError(500, `error writing file: ${describeError(error, 'write', path)}`, { cause: error });
  }
  const hasMetadata = Object.keys(metadata).length > 0;
  return { name: basename(path), path, type: 'file', ...(hasMetadata && { metadata }) };
}

async function openForWriting(path: string): ReturnType<typeof open> {
  try {
    return await open(path, 'w', 0o666);
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error;
    throw new FilesError(507, `not enough inodes available: ${describeError(error, 'open', path)}`, { cause: error });
  }
}

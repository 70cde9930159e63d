import { ArchiveRejectedError } from '../../errors/archive-rejected-error.ts';
import {
  MAX_ARCHIVE_RATIO,
  MAX_FILE_NAME_BYTES,
  MAX_TREE_BYTES,
  MAX_TREE_DEPTH,
  MAX_TREE_ENTRIES,
  RATIO_FREE_BYTES,
} from '../skill-limits.ts';
import { foldName } from '../skill-names.ts';
import { linksOf, resolveInTree, type SourceEntry } from '../source-tree.ts';
import { SpoolFile } from './spool-file.ts';

interface Node {
  /** As the archive spells it. */
  readonly path: string;
  /** A parent that no entry names is a directory, too. */
  readonly kind: SourceEntry['kind'];
}

/** Bytes of a file in the spool. */
interface Extent {
  readonly offset: number;
  readonly length: number;
}

/**
 * What an archive holds, gathered entry by entry and refused at the first one that must not be.
 *
 * Nothing is unpacked under the archive's own names: contents go one after the other into one
 * nameless file, and links stay text.
 */
export class ArchiveContents implements AsyncDisposable {
  readonly #spool: SpoolFile;
  readonly #archiveBytes: number;
  /** By folded path. */
  readonly #nodes = new Map<string, Node>();
  readonly #entries = new Map<string, SourceEntry>();
  readonly #extents = new Map<string, Extent>();
  #expandedBytes = 0;

  private constructor(spool: SpoolFile, archiveBytes: number) {
    this.#spool = spool;
    this.#archiveBytes = archiveBytes;
  }

  /** @param archiveBytes size of the archive, which what it expands to is measured by */
  static async create(archiveBytes: number): Promise<ArchiveContents> {
    return new ArchiveContents(await SpoolFile.create(), archiveBytes);
  }

  get entries(): readonly SourceEntry[] {
    return [...this.#entries.values()];
  }

  /**
   * Counts bytes that come out of the archive, as they come and before anything is done with them.
   *
   * @throws `archive-rejected` past a cap
   */
  expand(bytes: number, entry?: string): void {
    this.#expandedBytes += bytes;
    if (this.#expandedBytes > MAX_TREE_BYTES) {
      throw new ArchiveRejectedError({ entry, reason: `it expands to more than ${MAX_TREE_BYTES} bytes` });
    }
    if (this.#expandedBytes > Math.max(RATIO_FREE_BYTES, this.#archiveBytes * MAX_ARCHIVE_RATIO)) {
      throw new ArchiveRejectedError({ entry, reason: `it expands to more than ${MAX_ARCHIVE_RATIO} times its size` });
    }
  }

  /** @throws `archive-rejected` */
  addDirectory(name: string, mode: number): void {
    const path = this.#claim(name, 'directory');
    if (path !== '') this.#entries.set(path, { kind: 'directory', path, mode });
  }

  /** @throws `archive-rejected` */
  addLink(name: string, target: string | null): void {
    if (target === null || target === '' || hasControlCharacter(target))
      reject(name, 'it is a link to a name that no file can have');
    const path = this.#claim(name, 'link');
    requireInside(path, target, new Map([[path, target]]));
    this.#entries.set(path, { kind: 'link', path, target });
  }

  /** @throws `archive-rejected` */
  async addFile(name: string, mode: number, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#claim(name, 'file');
    const offset = this.#spool.sizeBytes;
    for await (const chunk of chunks) await this.#spool.append(chunk);
    this.#setFile(path, mode, { offset, length: this.#spool.sizeBytes - offset });
  }

  /** A hard link is one more copy of a file that came before. @throws `archive-rejected` */
  addHardLink(name: string, target: string | null, mode: number): void {
    const extent = this.#extents.get(checkedPath(target ?? '', name));
    if (extent === undefined) reject(name, `it is a hard link to ${JSON.stringify(target)}, no file before it`);
    this.expand(extent.length, name);
    this.#setFile(this.#claim(name, 'file'), mode, extent);
  }

  /** @throws `archive-rejected` if links lead out of the archive by way of each other */
  finish(): void {
    const links = linksOf(this.entries);
    for (const [path, target] of links) requireInside(path, target, links);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spool[Symbol.asyncDispose]();
  }

  #setFile(path: string, mode: number, extent: Extent): void {
    this.#extents.set(path, extent);
    const read = (): Promise<Uint8Array> => this.#spool.read(extent.offset, extent.length);
    this.#entries.set(path, { kind: 'file', path, mode, sizeBytes: extent.length, read });
  }

  /** Makes sure that a name is one, and that no other entry is in its way. */
  #claim(name: string, kind: SourceEntry['kind']): string {
    const path = checkedPath(name, name);
    if (path === '') {
      if (kind === 'directory') return path;
      reject(name, 'it has no name');
    }
    const parts = path.split('/');
    for (let length = 1; length < parts.length; length += 1) {
      this.#claimNode(name, { path: parts.slice(0, length).join('/'), kind: 'directory' });
    }
    this.#claimNode(name, { path, kind });
    return path;
  }

  #claimNode(name: string, node: Node): void {
    const key = foldName(node.path);
    const before = this.#nodes.get(key);
    if (before === undefined) {
      if (this.#nodes.size >= MAX_TREE_ENTRIES) {
        throw new ArchiveRejectedError({ entry: name, reason: `there are more than ${MAX_TREE_ENTRIES} entries` });
      }
      this.#nodes.set(key, node);
      return;
    }
    if (before.path !== node.path) reject(name, `its path differs from ${JSON.stringify(before.path)} in case alone`);
    if (before.kind !== node.kind)
      reject(name, `${JSON.stringify(before.path)} is there already and is a ${before.kind}`);
    if (node.kind !== 'directory') reject(name, 'there are two entries of that name');
  }
}

function requireInside(path: string, target: string, links: ReadonlyMap<string, string>): void {
  if (resolveInTree(path, links) === undefined) {
    reject(path, `it is a link to ${JSON.stringify(target)}, which leads out of the archive or in a circle`);
  }
}

/** A name as a path within the archive: relative, without `.` and a last `/`. */
function checkedPath(name: string, entry: string): string {
  if (hasControlCharacter(name)) reject(entry, 'a control character is in its name');
  if (!name.isWellFormed() || name.includes('\uFFFD')) reject(entry, 'its name is no UTF-8 text');
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) reject(entry, 'its path is absolute');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) reject(entry, 'its path leads out of the archive');
  if (parts.length > MAX_TREE_DEPTH) reject(entry, `it is deeper than ${MAX_TREE_DEPTH} folders`);
  if (parts.some((part) => Buffer.byteLength(part) > MAX_FILE_NAME_BYTES)) {
    reject(entry, `its name is longer than ${MAX_FILE_NAME_BYTES} bytes`);
  }
  return parts.join('/');
}

function hasControlCharacter(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(text);
}

function reject(entry: string, reason: string): never {
  throw new ArchiveRejectedError({ entry, reason });
}

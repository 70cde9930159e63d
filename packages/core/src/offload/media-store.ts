import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { DataBlock } from '../messages/blocks.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import { decodeBase64 } from './base64.ts';
import { mediaExtension } from './media-types.ts';

/** What a media URL begins with. Read takes one as a path everywhere. */
export const MEDIA_URL_PREFIX = 'workspace:///data/';

/** Older files are written again when they are offloaded again, so that a clean-up leaves them. */
const REFRESH_AFTER_MS = 12 * 60 * 60 * 1000;

/** Media waiting to be stored: decoded, so that a bad one fails before anything is written. */
export interface DecodedMedia {
  readonly bytes: Buffer;
  readonly name: string;
}

/** `data/`: media by the SHA-256 of their bytes, each stored once. */
export class MediaStore {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** @throws `base64-invalid` */
  decode(data: string, mediaType: string): DecodedMedia {
    const bytes = decodeBase64(data);
    const hash = createHash('sha256').update(bytes).digest('hex');
    return { bytes, name: `${hash}.${mediaExtension(bytes, mediaType)}` };
  }

  /** Stores one inline block. @throws `base64-invalid` */
  async offload(block: DataBlock): Promise<DataBlock> {
    const pending = new Map<string, DecodedMedia>();
    const moved = this.move(block, pending);
    await this.store(pending);
    return moved;
  }

  /**
   * The block with a URL in place of its data, which is put into `pending`. A block that has a URL
   * is given back as it is.
   *
   * @throws `base64-invalid`
   */
  move(block: DataBlock, pending: Map<string, DecodedMedia>): DataBlock {
    if (block.source.type === 'url') return block;
    const media = this.decode(block.source.data, block.source.media_type);
    pending.set(media.name, media);
    const url = `${MEDIA_URL_PREFIX}${media.name}`;
    return { ...block, source: { type: 'url', url, media_type: block.source.media_type } };
  }

  async store(pending: ReadonlyMap<string, DecodedMedia>): Promise<void> {
    for (const media of pending.values()) await this.#write(media);
  }

  async #write({ bytes, name }: DecodedMedia): Promise<void> {
    const { backend, layout, sync, emit } = this.#context;
    const path = posix.join(layout.dataDirectory, name);
    const existing = await backend.stat(path, { noFollow: true });
    const isWhole = existing?.kind === 'file' && existing.sizeBytes === bytes.byteLength;
    const isFresh = isWhole && Date.now() - existing.modifiedMs < REFRESH_AFTER_MS;
    if (!isFresh) await this.#replace(path, bytes, existing !== undefined, sync);
    emit({ type: 'data-offloaded', path, sizeBytes: bytes.byteLength, isNew: !isWhole });
  }

  async #replace(path: string, bytes: Buffer, exists: boolean, sync: boolean): Promise<void> {
    const { backend } = this.#context;
    // Something that is no file of ours, a link or directory that an agent put there, gives way.
    if (exists && (await backend.stat(path, { noFollow: true }))?.kind !== 'file') {
      await backend.remove(path, { recursive: true });
    }
    await backend.writeFile(path, bytes, { noFollow: true, sync });
  }
}

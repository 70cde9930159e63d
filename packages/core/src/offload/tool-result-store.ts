import { posix } from 'node:path';
import type { FileStat } from '../backend/files.ts';
import type { DataBlock, ToolResultBlock } from '../messages/blocks.ts';
import { parseToolResult } from '../messages/parse-message.ts';
import { encodeToolCallId } from '../state/encode-id.ts';
import { listDirectory } from '../state/list-directory.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { DecodedMedia, MediaStore } from './media-store.ts';
import { sessionDirectory } from './session-directory.ts';

/** AgentScope's form of media in a text file, its `None` for a missing name included. */
function mediaElement(block: DataBlock): string {
  const { source, name } = block;
  const url = source.type === 'url' ? source.url : '';
  return `<data url='${url}' name='${name ?? 'None'}' media_type='${source.media_type}'/>`;
}

/** `tool_result-{id}.txt` of each session. */
export class ToolResultStore {
  readonly #context: WorkspaceContext;
  readonly #media: MediaStore;

  constructor(context: WorkspaceContext, media: MediaStore) {
    this.#context = context;
    this.#media = media;
  }

  /**
   * Writes a result. The same bytes under the same id give the same path again; other bytes get
   * `(1)`, and so does an id that differs from another by case alone.
   *
   * @throws `message-invalid`, `base64-invalid`
   */
  async write(sessionId: string, result: ToolResultBlock): Promise<string> {
    const pending = new Map<string, DecodedMedia>();
    const content = Buffer.from(this.#text(parseToolResult(result), pending), 'utf8');
    await this.#media.store(pending);

    const { backend, lock, sync, emit } = this.#context;
    const directory = await sessionDirectory(this.#context, sessionId);
    const path = await lock.run(async (guard) => {
      const { name, isThere } = await this.#place(directory, encodeToolCallId(result.id), content);
      const target = posix.join(directory, name);
      if (!isThere) await backend.writeFile(target, content, { ...guard, isExclusive: true, sync });
      return target;
    });
    emit({ type: 'tool-result-offloaded', sessionId, path, sizeBytes: content.byteLength });
    return path;
  }

  #text(result: ToolResultBlock, pending: Map<string, DecodedMedia>): string {
    if (typeof result.output === 'string') return result.output;
    return result.output
      .map((block) => (block.type === 'text' ? block.text : mediaElement(this.#media.move(block, pending))))
      .join('');
  }

  /** The first name for the id that is free or holds this content already. */
  async #place(directory: string, id: string, content: Buffer): Promise<{ name: string; isThere: boolean }> {
    const entries = await listDirectory(this.#context, directory);
    const exact = new Set(entries.map((entry) => entry.name));
    const folded = new Set(entries.map((entry) => entry.name.toLowerCase()));
    for (let copy = 0; ; copy += 1) {
      const name = `tool_result-${id}${copy === 0 ? '' : `(${copy})`}.txt`;
      if (!folded.has(name.toLowerCase())) return { name, isThere: false };
      if (exact.has(name) && (await this.#holds(posix.join(directory, name), content))) return { name, isThere: true };
    }
  }

  async #holds(path: string, content: Buffer): Promise<boolean> {
    const { backend } = this.#context;
    const stat: FileStat | undefined = await backend.stat(path, { noFollow: true });
    if (stat?.kind !== 'file' || stat.sizeBytes !== content.byteLength) return false;
    const { bytes } = await backend.readFile(path, { noFollow: true, maxBytes: content.byteLength });
    return content.equals(bytes);
  }
}

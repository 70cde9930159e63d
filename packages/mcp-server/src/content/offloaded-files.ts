import { encodeId, FileNotFoundError, Layout, NotAFileError, type WorkspaceSession } from '@agent-workspace/core';
import {
  ErrorCode,
  type ListResourcesResult,
  McpError,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import { wholeBytes } from './byte-text.ts';

const SCHEME = 'workspace://';
const RESULT_FILE = /^tool_result-[^/]+\.txt$/u;
const PAGE_ENTRIES = 100;
/** Of one `resources/read`: as much as Read gives in one page. 256 KiB. */
const PAGE_BYTES = 256 * 1024;
/** What MCP answers for a resource that is not there. */
const RESOURCE_NOT_FOUND = -32_002;

/** What a session has put away, as resources: its long results, and the media of this connection. Nothing else. */
export class OffloadedFiles {
  readonly #sessionId: string;
  readonly #media = new Map<string, { readonly mimeType: string }>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Media that may be read from now on. Results are found by themselves. */
  addMedia(path: string, mimeType: string): void {
    this.#media.set(path, { mimeType });
  }

  /** In the order of their names. The cursor is the name of the last. */
  async list(session: WorkspaceSession, cursor: string | undefined): Promise<ListResourcesResult> {
    const directory = this.#directory(session);
    const names = (await this.#results(session)).toSorted((a, b) => (a < b ? -1 : 1));
    const all = [
      ...names.map((name) => ({ path: `${directory}/${name}`, mimeType: 'text/plain' })),
      ...[...this.#media].map(([path, { mimeType }]) => ({ path, mimeType })),
    ];
    const begin = cursor === undefined ? 0 : all.findIndex(({ path }) => path === cursor) + 1;
    if (cursor !== undefined && begin === 0) {
      throw new McpError(ErrorCode.InvalidParams, 'There is no such cursor; list from the beginning.');
    }
    const page = all.slice(begin, begin + PAGE_ENTRIES);
    const last = page.at(-1);
    return {
      resources: page.map(({ path, mimeType }) => ({
        uri: `${SCHEME}${encodeURI(path.slice(session.workdir.length))}`,
        name: path.slice(path.lastIndexOf('/') + 1),
        mimeType,
      })),
      ...(last !== undefined && begin + PAGE_ENTRIES < all.length && { nextCursor: last.path }),
    };
  }

  /**
   * A page of a file. `?offset=N` begins at that byte; where there is more, a second part says which
   * resource is the next page.
   */
  async read(session: WorkspaceSession, uri: string): Promise<ReadResourceResult> {
    const { path, offset } = await this.#resolve(session, uri);
    const media = this.#media.get(path);
    try {
      const { backend } = session;
      const length = media === undefined ? PAGE_BYTES : undefined;
      const { bytes, stat } = await backend.readFile(path, { noFollow: true, offset, length });
      if (media !== undefined) {
        return { contents: [{ uri, mimeType: media.mimeType, blob: Buffer.from(bytes).toString('base64') }] };
      }
      const isLast = offset + bytes.length >= stat.sizeBytes;
      const whole = isLast ? bytes : wholeBytes(bytes.subarray(0, -1), bytes.length - 1);
      const contents = [{ uri, mimeType: 'text/plain', text: Buffer.from(whole).toString('utf8') }];
      if (isLast) return { contents };
      const next = `${uri.split('?')[0]}?offset=${offset + whole.length}`;
      const note = `Bytes ${offset} to ${offset + whole.length} of ${stat.sizeBytes}. The next page is ${next}`;
      return { contents: [...contents, { uri: next, mimeType: 'text/plain', text: `[${note}]` }] };
    } catch (error) {
      if (FileNotFoundError.isInstance(error) || NotAFileError.isInstance(error)) throw notFound(uri);
      throw error;
    }
  }

  #directory(session: WorkspaceSession): string {
    return `${new Layout(session.workdir).sessionsDirectory}/${encodeId(this.#sessionId)}`;
  }

  async #results(session: WorkspaceSession): Promise<readonly string[]> {
    try {
      const entries = await session.backend.readDirectory(this.#directory(session));
      return entries.filter(({ kind, name }) => kind === 'file' && RESULT_FILE.test(name)).map(({ name }) => name);
    } catch (error) {
      if (FileNotFoundError.isInstance(error)) return [];
      throw error;
    }
  }

  /** The file that a URI names, if it is one of these. */
  async #resolve(session: WorkspaceSession, uri: string): Promise<{ readonly path: string; readonly offset: number }> {
    const parts = /^workspace:\/\/(?<path>\/[^?#]*)(?:\?offset=(?<offset>\d{1,15}))?$/u.exec(uri)?.groups;
    if (parts?.['path'] === undefined) throw notFound(uri);
    const path = `${session.workdir}${decode(parts['path'], uri)}`;
    const offset = Number(parts['offset'] ?? 0);
    if (this.#media.has(path)) return { path, offset: 0 };
    const directory = this.#directory(session);
    const name = path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : '';
    if (!RESULT_FILE.test(name)) throw notFound(uri);
    // An agent may have put a link in the place of the directory.
    const { backend, workdir } = session;
    const [realDirectory, realWorkdir] = await Promise.all([backend.realPath(directory), backend.realPath(workdir)]);
    if (realDirectory !== `${realWorkdir}${directory.slice(workdir.length)}`) throw notFound(uri);
    return { path, offset };
  }
}

function decode(path: string, uri: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw notFound(uri);
  }
}

function notFound(uri: string): McpError {
  return new McpError(RESOURCE_NOT_FOUND, `There is no resource ${uri}. resources/list has those that there are.`);
}

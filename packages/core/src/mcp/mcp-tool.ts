import { MCPCallCancelledError } from '../errors/mcp-call-cancelled-error.ts';
import { MCPClientClosedError } from '../errors/mcp-client-closed-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import type { JsonSchema, ToolAnnotations, ToolCallOptions, ToolChunk } from '../tools/tool.ts';
import { toContentBlocks } from './content-blocks.ts';
import type { MCPCallResult, MCPClient, MCPContent, MCPProgress, MCPTool, MCPToolDescription } from './mcp-client.ts';
import { mcpToolName } from './tool-name.ts';

/** As much of a client as its tools need. */
type ToolCaller = Pick<MCPClient, 'name' | 'callTool'>;

const KNOWN_KINDS: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** Progress that a slow listener has not taken yet is kept up to here; older news are out of date. */
const MAX_PROGRESS_KEPT = 16;

/** What a server sent as content, which no client has to check: it may not be an array, nor hold objects alone. */
function contentOf(result: MCPCallResult): readonly (MCPContent | null)[] {
  const { content } = result as { readonly content?: MCPCallResult['content'] | null };
  return [content ?? []].flat();
}

/** What the blocks of a result do not show, as it came. */
function lastingMetadata(result: MCPCallResult): Record<string, unknown> {
  const { content: _content, isError: _isError, ...rest } = result;
  const unknown = contentOf(result).filter((content) => !KNOWN_KINDS.has(content?.type ?? ''));
  const shown = { ...rest, ...(unknown.length > 0 && { unknownContent: unknown }) };
  return Object.keys(shown).length > 0 ? { mcp_result: shown } : {};
}

function lastChunk(result: MCPCallResult): ToolChunk {
  const state = result.isError === true ? 'error' : 'success';
  const content = toContentBlocks(contentOf(result));
  const isSilent = content.length === 0 && result.structuredContent !== undefined;
  // Older models of a result have the text beside the structure; newer servers may leave it out.
  const shown = isSilent
    ? toContentBlocks([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
    : content;
  return { content: shown, state, isLast: true, metadata: lastingMetadata(result) };
}

function errorChunk(message: string): ToolChunk {
  return { content: toContentBlocks([{ type: 'text', text: message }]), state: 'error', isLast: true, metadata: {} };
}

/** What the model can do nothing about: its own call was cancelled, or the session was taken away. */
function isForTheCaller(error: unknown): boolean {
  return MCPCallCancelledError.isInstance(error) || MCPClientClosedError.isInstance(error);
}

/**
 * A tool of an MCP server, called through a client.
 *
 * A failure of the server or of the connection to it is an `error` chunk, so that a model can go
 * on without the tool. @throws `mcp-call-cancelled`, `mcp-client-closed`
 */
export class ClientMCPTool implements MCPTool {
  readonly name: string;
  readonly serverName: string;
  readonly toolName: string;
  readonly mcpTool: MCPToolDescription;
  readonly isSelfPaging: boolean = false;
  readonly #client: ToolCaller;

  constructor(client: ToolCaller, mcpTool: MCPToolDescription) {
    this.#client = client;
    this.mcpTool = mcpTool;
    this.serverName = client.name;
    this.toolName = mcpTool.name;
    this.name = mcpToolName(this.serverName, this.toolName);
  }

  get description(): string {
    return this.mcpTool.description ?? this.mcpTool.title ?? this.annotations?.title ?? '';
  }

  get inputSchema(): JsonSchema {
    return this.mcpTool.inputSchema;
  }

  get annotations(): ToolAnnotations | undefined {
    return this.mcpTool.annotations;
  }

  get isReadOnly(): boolean {
    return this.annotations?.readOnlyHint === true;
  }

  /** What changes nothing disturbs nobody. */
  get isConcurrencySafe(): boolean {
    return this.isReadOnly;
  }

  async *call(input: unknown, options: ToolCallOptions = {}): AsyncIterable<ToolChunk> {
    const given = input ?? {};
    if (typeof given !== 'object' || Array.isArray(given)) {
      yield errorChunk(`The input of ${this.name} is an object of its parameters.`);
      return;
    }
    const news: MCPProgress[] = [];
    let wake = (): void => undefined;
    const abandoned = new AbortController();
    let outcome: { readonly result: MCPCallResult } | { readonly error: unknown } | undefined;
    const signal = options.signal ? AbortSignal.any([options.signal, abandoned.signal]) : abandoned.signal;
    const onProgress = (progress: MCPProgress): void => {
      news.push(progress);
      if (news.length > MAX_PROGRESS_KEPT) news.shift();
      wake();
    };
    const settled = this.#client.callTool(this.toolName, given as Record<string, unknown>, { signal, onProgress }).then(
      (result) => (outcome = { result }),
      (error: unknown) => (outcome = { error }),
    );
    try {
      while (outcome === undefined || news.length > 0) {
        const progress = news.shift();
        if (progress) {
          yield { content: [], state: 'running', isLast: false, metadata: { mcp_progress: progress } };
        } else {
          const woken = new Promise<void>((resolve) => (wake = resolve));
          await Promise.race([settled, woken]);
        }
      }
    } finally {
      // A consumer that stops listening in the middle wants no more of it.
      if (outcome === undefined) abandoned.abort();
    }
    if ('result' in outcome) {
      yield lastChunk(outcome.result);
    } else if (WorkspaceError.isInstance(outcome.error) && !isForTheCaller(outcome.error)) {
      yield errorChunk(outcome.error.message);
    } else {
      throw outcome.error;
    }
  }
}

/** A tool that `client` calls, as its `listTools` gives it. */
export function createMcpTool(client: ToolCaller, mcpTool: MCPToolDescription): MCPTool {
  return new ClientMCPTool(client, mcpTool);
}

import {
  collectToolResult,
  type Logger,
  type ToolChunk,
  type ToolResult,
  type WorkspaceSession,
} from '@agent-workspace/core';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describeText, LAZY_TOOLS, listText } from '../catalogue/lazy-tools.ts';
import type { ToolCatalogue } from '../catalogue/tool-catalogue.ts';
import { errorResult, toCallResult } from '../content/call-result.ts';
import type { OffloadedFiles } from '../content/offloaded-files.ts';
import { askForLess } from './ask-for-less.ts';
import type { CallEvents } from './call-events.ts';
import { CallProgress, type ProgressUpdate } from './call-progress.ts';

export interface ToolCallerOptions {
  readonly catalogue: ToolCatalogue;
  readonly events: CallEvents;
  readonly files: OffloadedFiles;
  readonly sessionId: string;
  readonly isLazy: boolean;
  readonly maxResultBytes: number;
  readonly maxMediaBytes: number;
  readonly takesLinks: () => boolean;
  /** The session of the workspace, which is started where it is not there. */
  readonly start: (signal: AbortSignal) => Promise<WorkspaceSession>;
  readonly onOffloaded: () => void;
  readonly logger: Logger;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: ((update: ProgressUpdate) => void) | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** What a call goes on with once the workspace is there. */
interface StartedCall extends CallOptions {
  readonly session: WorkspaceSession;
  readonly progress: CallProgress;
}

type Start =
  | { readonly session: WorkspaceSession; readonly failure?: undefined }
  | { readonly session?: undefined; readonly failure: CallToolResult };

/** Answers `tools/call`: starts the workspace, runs the tool, and keeps the answer small. */
export class ToolCaller {
  readonly #options: ToolCallerOptions;
  #calls = 0;

  constructor(options: ToolCallerOptions) {
    this.#options = options;
  }

  /**
   * Runs a tool. What goes wrong is a result that says what to do, for the model.
   *
   * @throws the signal's reason
   */
  async call(name: string, input: Arguments, options: CallOptions): Promise<CallToolResult> {
    const { isLazy, catalogue } = this.#options;
    const isLazyTool = isLazy && Object.values<string>(LAZY_TOOLS).includes(name);
    if (isLazy ? !isLazyTool : !catalogue.mayHave(name)) return this.#unknown(name);
    let isStarted = false;
    using progress = new CallProgress(options.onProgress, () =>
      isStarted ? `${name} is running` : 'The workspace is starting',
    );
    const { session, failure } = await this.#start(options.signal, progress);
    if (session === undefined) return failure;
    isStarted = true;
    const started = { ...options, session, progress };
    return isLazy ? await this.#callLazily(name, input, started) : await this.#run(name, input, started);
  }

  async #start(signal: AbortSignal, progress: CallProgress): Promise<Start> {
    using _listener = this.#options.events.onStart((line) => progress.say(line));
    try {
      return { session: await this.#options.start(signal) };
    } catch (error) {
      signal.throwIfAborted();
      this.#options.logger.error('The workspace could not be started.', { error });
      const advice = 'Nothing was run. Once that is mended, call again: every call tries anew.';
      return { failure: errorResult(`The workspace could not be started. ${messageOf(error)}\n${advice}`) };
    }
  }

  async #callLazily(lazyTool: string, input: Arguments, call: StartedCall): Promise<CallToolResult> {
    const { catalogue } = this.#options;
    if (lazyTool === LAZY_TOOLS.list) {
      const query = input['query'] ?? '';
      if (typeof query !== 'string') return errorResult('The parameter "query" is a string.');
      catalogue.refresh();
      await catalogue.settled(call.signal);
      return { content: [{ type: 'text', text: listText(catalogue.descriptions, query) }] };
    }
    const { name, arguments: given = {} } = input;
    if (typeof name !== 'string') return errorResult('The parameter "name" is required: a name that ListTools has.');
    if (lazyTool === LAZY_TOOLS.call) {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) {
        return errorResult('The parameter "arguments" is an object of the parameters that DescribeTool tells.');
      }
      return catalogue.mayHave(name) ? await this.#run(name, given as Arguments, call) : this.#unknown(name);
    }
    await catalogue.settled(call.signal);
    const description = catalogue.descriptions.find((tool) => tool.name === name);
    if (description === undefined) return this.#unknown(name);
    return { content: [{ type: 'text', text: describeText(description) }] };
  }

  async #run(name: string, input: Arguments, { session, progress, signal }: StartedCall): Promise<CallToolResult> {
    const { catalogue, events, files, sessionId, maxResultBytes, maxMediaBytes, logger } = this.#options;
    this.#calls += 1;
    const toolCallId = `call-${this.#calls}`;
    using _listener = events.onOutput(toolCallId, (line) => progress.say(line));
    let result: ToolResult;
    try {
      const toolkit = await catalogue.toolkitFor(name, signal);
      if (toolkit === undefined) return this.#unknown(name);
      const run = async (asked: unknown): Promise<ToolResult> =>
        await collectToolResult(withProgress(toolkit.run(name, asked, { toolCallId, signal }), progress));
      result = await askForLess(name, { input, maxBytes: maxResultBytes }, run);
    } catch (error) {
      signal.throwIfAborted();
      logger.error('A call failed.', { tool: name, error });
      return errorResult(`${name} failed. ${messageOf(error)}`);
    }
    return await toCallResult(result, {
      session,
      sessionId,
      toolCallId,
      toolName: name,
      maxResultBytes,
      maxMediaBytes,
      takesLinks: this.#options.takesLinks(),
      canRead: catalogue.tools.some((tool) => tool.name === 'Read'),
      onOffloaded: (path, mimeType) => {
        if (mimeType !== undefined) files.addMedia(path, mimeType);
        this.#options.onOffloaded();
      },
      logger,
    });
  }

  #unknown(name: string): CallToolResult {
    const { catalogue, isLazy } = this.#options;
    const known = isLazy ? Object.values<string>(LAZY_TOOLS) : catalogue.tools.map((tool) => tool.name);
    return errorResult(`There is no tool called ${JSON.stringify(name)}. There are: ${known.join(', ') || 'none'}.`);
  }
}

/** Passes on what a nested server tells of its progress. */
async function* withProgress(chunks: AsyncIterable<ToolChunk>, progress: CallProgress): AsyncIterable<ToolChunk> {
  for await (const chunk of chunks) {
    const news = chunk.metadata['mcp_progress'] as ProgressUpdate | undefined;
    if (news !== undefined) progress.pass(news);
    yield chunk;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

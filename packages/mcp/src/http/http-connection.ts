import { setTimeout as pause } from 'node:timers/promises';
import type { HttpMcpDeclaration, Logger } from '@agent-workspace/core';
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Agent } from 'undici';
import type { ConnectionEnd, ServerConnection } from '../connection.ts';
import { MAX_LINE_BYTES } from '../stdio/stdio-connection.ts';
import { describeFailure } from './http-errors.ts';
import { createServerFetch } from './server-fetch.ts';

/** For a server to answer the DELETE of its session. */
const TERMINATE_MS = 2000;

/** For an answer that has come whole to be handled. */
const HANDLING_MS = 250;
/** What the SDK says when a stream of events could not be taken up again. */
const STREAM_GIVEN_UP = /^Maximum reconnection attempts/;

export interface HttpConnectionOptions {
  readonly declaration: HttpMcpDeclaration;
  /** With secrets in their places. */
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly logger: Logger;
  /**
   * The response to a request is over, and what it held has been handled. If the answer was not
   * in it, then none will come, unless the stream can be taken up again.
   */
  readonly onResponseOver: (progressToken: number, isResumable: boolean) => void;
  /** Somebody waits for the answer whose stream broke off after this event. */
  readonly isAwaited: (lastEventId: string) => boolean;
}

/** An MCP server reached over streamable HTTP, or SSE as it was before. */
export class HttpConnection implements ServerConnection {
  readonly transport: Transport;
  readonly #streamable: StreamableHTTPClientTransport | undefined;
  readonly #agent: Agent;
  readonly #logger: Logger;
  /** How many streams of events the SDK does not try to take up any more. */
  #streamsGivenUp = 0;
  #end: ConnectionEnd | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpConnectionOptions) {
    const { declaration, headers, connectTimeoutMs } = options;
    this.#logger = options.logger;
    // How long an answer may take is for the calls to say.
    this.#agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } });
    const isSse = declaration.transport === 'sse';
    const fetch = createServerFetch({
      dispatcher: this.#agent,
      maxMessageBytes: MAX_LINE_BYTES,
      onOverlong: () => {
        const reason = `a message is longer than ${MAX_LINE_BYTES} bytes`;
        void this.close({ reason: { kind: 'violated', reason } });
      },
      isAnsweredInResponse: !isSse,
      onResponseOver: (token, isResumable) => {
        const before = this.#streamsGivenUp;
        // The SDK may have given up in the meantime, where the server makes it hurry.
        const tell = (): void => options.onResponseOver(token, isResumable && this.#streamsGivenUp === before);
        setTimeout(tell, HANDLING_MS).unref();
      },
      isAwaited: options.isAwaited,
    });
    const url = new URL(declaration.url);
    const settings = { fetch, requestInit: { headers: { ...headers } } };
    this.#streamable = isSse ? undefined : new StreamableHTTPClientTransport(url, settings);
    this.transport = this.#streamable ?? new SSEClientTransport(url, settings);
  }

  get end(): ConnectionEnd | undefined {
    return this.#end;
  }

  get sessionId(): string | undefined {
    return this.#streamable?.sessionId;
  }

  stderrTail(): string {
    return '';
  }

  get isDeaf(): boolean {
    return this.#streamsGivenUp > 0;
  }

  noteProblem(error: Error): boolean {
    // An event source that broke off comes back as another session, one that nobody initialized.
    if (error instanceof SseError) void this.close({ reason: { kind: 'lost', reason: describeFailure(error) } });
    const isGivenUp = STREAM_GIVEN_UP.test(error.message);
    if (isGivenUp) this.#streamsGivenUp += 1;
    return isGivenUp;
  }

  close(options: { readonly reason?: ConnectionEnd | undefined } = {}): Promise<void> {
    this.#end ??= options.reason ?? { kind: 'closed' };
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      if (this.#streamable?.sessionId !== undefined && this.#end?.kind === 'closed') {
        await Promise.race([this.#streamable.terminateSession(), pause(TERMINATE_MS, undefined, { ref: false })]);
      }
    } catch (error) {
      this.#logger.debug('The server did not end its session', { reason: describeFailure(error) });
    }
    await this.transport.close();
    await this.#agent.destroy();
  }
}

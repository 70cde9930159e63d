import { randomUUID } from 'node:crypto';
import {
  GatewayAnswerInvalidError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type Logger,
  silentLogger,
  type WorkspaceError,
} from '@agent-workspace/core';
import {
  attachmentSchemas,
  backendOperations,
  CONTENT_TYPES,
  decodeFrames,
  DEFAULT_HOST,
  type Frame,
  HEADERS,
  type Health,
  MAX_JSON_BYTES,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  parseAnswer,
  routePath,
  ROUTES,
  toWire,
  type WireSchema,
} from '@agent-workspace/gateway-protocol';
import type { Dispatcher } from 'undici';
import { atMost, parseJson, problemError } from './http/answers.ts';
import { Connections } from './http/connections.ts';
import type { Connector } from './http/connector.ts';
import { Deadline } from './http/deadline.ts';
import { DEFAULT_DEADLINES, type GatewayDeadlines } from './http/deadlines.ts';
import { exchange } from './http/exchange.ts';
import { openStream } from './http/open-stream.ts';
import { type RecoverableRequest, Recovery } from './http/recovery.ts';
import type { GatewayAnswer, GatewayRequest, StreamRequest, WholeRequest } from './http/request.ts';
import { CallBatches } from './mcp/call-batches.ts';

/** Connections for short requests at once; more wait for one to be free. */
const DEFAULT_CONNECTIONS = 32;
const MAX_PROBLEM_BYTES = 1024 * 1024;
/** After so long without an answer the gateway is asked whether it is alive. */
const PATIENCE_MS = 10_000;

export interface GatewayClientOptions {
  readonly connect: Connector;
  /** Asked for with each request, since a recovery makes a new one. */
  readonly token: () => string;
  /**
   * Brings a gateway back that could not be reached, or that does not know the token. What can be
   * asked again is asked once more when it settles.
   */
  readonly recover?: ((reason: WorkspaceError) => Promise<void>) | undefined;
  /** What requests give as their `Host`. Default `localhost`. */
  readonly host?: string | undefined;
  /** More headers for each request, for a proxy on the way. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What an answer with an error's status says that is a proxy's own; `undefined` if it is the gateway's. */
  readonly explain?: ((answer: GatewayAnswer, operation: string) => WorkspaceError | undefined) | undefined;
  /** Connections for short requests. Default 32. */
  readonly connections?: number | undefined;
  readonly deadlines?: Partial<GatewayDeadlines> | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
}

export interface JsonRequest<T> extends Pick<RecoverableRequest, 'isRepeatable' | 'withoutRecovery'> {
  readonly operation: string;
  readonly method: GatewayRequest['method'];
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead. */
  readonly content?: { readonly bytes: Uint8Array; readonly contentType: string } | undefined;
  readonly schema: WireSchema<T>;
  readonly signal?: AbortSignal | undefined;
  /** Default: the deadline for a short answer. */
  readonly timeoutMs?: number | undefined;
  readonly callId?: string | undefined;
  /** It is in the gateway's nature to take its time over it. Default `false`. */
  readonly lasts?: boolean | undefined;
}

export interface FrameRequest extends Pick<StreamRequest, 'operation' | 'path' | 'body' | 'contentType' | 'deadline'> {
  readonly method?: GatewayRequest['method'] | undefined;
  readonly maxFrameBytes: number;
  readonly maxTotalBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly callId?: string | undefined;
  readonly silenceMs?: number | undefined;
  readonly isRepeatable?: boolean | undefined;
  /** It goes on for as long as the client lives, and keeps no process from ending. */
  readonly isBackground?: boolean | undefined;
}

export interface UploadRequest<T> extends Pick<FrameRequest, 'operation' | 'path' | 'contentType' | 'signal'> {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly schema: WireSchema<T>;
}

/**
 * Talks to a gateway. The peer is not trusted: every answer has a deadline and a size, is checked
 * against its schema, and what is wrong with it is a typed error.
 */
export class GatewayClient {
  readonly deadlines: GatewayDeadlines;
  /** Calls of tools, as many at once as there are. */
  readonly toolCalls: CallBatches = new CallBatches(this);
  readonly #options: GatewayClientOptions;
  readonly #logger: Logger;
  readonly #connections: Connections;
  readonly #recovery: Recovery;
  readonly #origin: string;

  constructor(options: GatewayClientOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.deadlines = { ...DEFAULT_DEADLINES, ...options.deadlines };
    this.#recovery = new Recovery({ recover: options.recover, logger: this.#logger });
    this.#origin = `http://${options.host ?? DEFAULT_HOST}`;
    this.#connections = new Connections({
      connect: options.connect,
      connectMs: this.deadlines.connectMs,
      origin: this.#origin,
      count: options.connections ?? DEFAULT_CONNECTIONS,
    });
  }

  /** A method of the table. @throws what the gateway's backend throws, else as {@link json} */
  async operation<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: Pick<JsonRequest<never>, 'signal' | 'timeoutMs' | 'isRepeatable' | 'lasts' | 'withoutRecovery'> = {},
  ): Promise<OperationOutput<Name>> {
    const { route, output } = backendOperations()[name];
    const schema = output as WireSchema<OperationOutput<Name>>;
    return this.json({ ...options, operation: name, method: 'POST', path: route, body: input, schema });
  }

  /**
   * Asks for JSON.
   *
   * @throws `gateway-unreachable`, `gateway-connection-lost`, `gateway-timeout`, `gateway-answer-invalid`,
   * `gateway-unauthorized`, `operation-aborted`, and what the gateway answers
   */
  async json<T>(request: JsonRequest<T>): Promise<T> {
    const { operation, schema, body, content, isRepeatable } = request;
    const answer = await this.whole({
      operation,
      method: request.method,
      path: request.path,
      signal: request.signal,
      callId: request.callId,
      timeoutMs: request.timeoutMs ?? this.deadlines.answerMs,
      maxBytes: MAX_JSON_BYTES,
      ...(body !== undefined && { body: toWire(body), contentType: CONTENT_TYPES.json }),
      ...(content !== undefined && { body: content.bytes, contentType: content.contentType }),
      isRepeatable,
      lasts: request.lasts,
      withoutRecovery: request.withoutRecovery,
    });
    return parseAnswer(schema, parseJson(answer, operation), operation);
  }

  /** Takes an answer as a whole, whatever is in it. @throws as {@link json} */
  whole(
    request: WholeRequest & Pick<JsonRequest<never>, 'isRepeatable' | 'lasts' | 'withoutRecovery'>,
  ): Promise<GatewayAnswer> {
    const pool = request.lasts === true ? this.#connections.long : this.#connections.short;
    const { operation } = request;
    const watch = { everyMs: PATIENCE_MS, look: () => this.#look(operation) };
    return this.#recovery.attempt(request, async () => {
      const answer = await exchange(pool, request, this.#dispatchOptions(request), watch);
      if (answer.status >= 400) throw this.#problem(answer, operation);
      return answer;
    });
  }

  /** Sends a body of any length, and takes JSON. The time for it begins anew with each piece. @throws as {@link json} */
  async upload<T>(request: UploadRequest<T>): Promise<T> {
    const { operation, schema, pieces, ...rest } = request;
    const { answerMs: silenceMs, longAnswerMs: timeoutMs } = this.deadlines;
    using deadline = new Deadline({ operation, timeoutMs });
    const body = deadline.restartedBy(pieces);
    const answer = await this.bytes({ ...rest, operation, body, silenceMs, deadline, accept: CONTENT_TYPES.json });
    const bytes = await atMost(answer, MAX_JSON_BYTES, operation);
    return parseAnswer(schema, parseJson({ contentType: CONTENT_TYPES.json, bytes }, operation), operation);
  }

  /** An answer in frames, as they come. @throws as {@link json} */
  async frames(request: FrameRequest): Promise<AsyncGenerator<Frame, void, undefined>> {
    const { operation, maxFrameBytes, maxTotalBytes } = request;
    const body = await this.bytes({ ...request, accept: CONTENT_TYPES.frames });
    return decodeFrames(body, {
      maxFrameBytes,
      maxTotalBytes,
      invalid: (reason) => new GatewayAnswerInvalidError({ operation, reason }),
    });
  }

  /** An answer of any length, as it comes. @throws as {@link json} */
  bytes(
    request: Omit<FrameRequest, 'maxFrameBytes' | 'maxTotalBytes'> & { readonly accept: string },
  ): Promise<AsyncIterable<Uint8Array>> {
    const { operation } = request;
    const sent = {
      ...request,
      method: request.method ?? 'POST',
      silenceMs: request.silenceMs ?? this.deadlines.silenceMs,
    };
    const pool = request.isBackground === true ? this.#connections.background : this.#connections.long;
    return this.#recovery.attempt(sent, async () => {
      const { status, contentType, body } = await openStream(pool, sent, this.#dispatchOptions(sent), {
        everyMs: this.deadlines.patienceMs,
        ask: () =>
          this.#look(operation).catch((error: unknown) => this.#logger.debug('The gateway is silent', { error })),
      });
      if (status >= 400) {
        throw this.#problem(
          { status, contentType, bytes: await atMost(body, MAX_PROBLEM_BYTES, operation) },
          operation,
        );
      }
      if (contentType.split(';')[0] !== request.accept) {
        // Iterated once and left, which lets go of the connection.
        for await (const _chunk of body) break;
        throw new GatewayAnswerInvalidError({ operation, reason: `it is ${contentType || 'of no type'}` });
      }
      return body;
    });
  }

  /** @throws as {@link json} */
  health(options: Pick<JsonRequest<Health>, 'signal' | 'timeoutMs' | 'withoutRecovery'> = {}): Promise<Health> {
    return this.json({
      ...options,
      operation: 'health',
      method: 'GET',
      path: ROUTES.health,
      schema: attachmentSchemas().health,
    });
  }

  /** A name for a request that may have to be cancelled. */
  newCallId(): string {
    return randomUUID();
  }

  /** Cancels a request in flight; one that is over, or a gateway that is gone, is no error. */
  async cancelCall(callId: string): Promise<void> {
    try {
      await this.json({
        operation: 'a cancellation',
        method: 'DELETE',
        path: routePath(ROUTES.call, { id: callId }),
        schema: attachmentSchemas().cancelled,
        timeoutMs: this.deadlines.abortMs,
        withoutRecovery: true,
      });
    } catch (error) {
      this.#logger.debug('Could not cancel a call', { error });
    }
  }

  /** Drops every connection, and with it what is in flight. */
  async close(): Promise<void> {
    await this.#connections.close();
  }

  #problem(answer: GatewayAnswer, operation: string): WorkspaceError {
    return this.#options.explain?.(answer, operation) ?? problemError(answer, operation);
  }

  #dispatchOptions(request: GatewayRequest): Pick<Dispatcher.DispatchOptions, 'origin' | 'headers'> {
    const { contentType, accept, callId } = request;
    return {
      origin: this.#origin,
      headers: {
        ...this.#options.headers,
        authorization: `Bearer ${this.#options.token()}`,
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(accept !== undefined && { accept }),
        ...(callId !== undefined && { [HEADERS.callId]: callId }),
      },
    };
  }

  /** Whether the gateway answers at all: whatever it says to this, it is there. @throws `gateway-timeout` */
  async #look(operation: string): Promise<void> {
    try {
      await this.health({ timeoutMs: this.deadlines.abortMs, withoutRecovery: true });
    } catch (error) {
      if (!GatewayTimeoutError.isInstance(error) && !GatewayUnreachableError.isInstance(error)) return;
      throw new GatewayTimeoutError({ operation, timeoutMs: PATIENCE_MS + this.deadlines.abortMs }, { cause: error });
    }
  }
}

import { type ApiClient, apiPath } from '../api/api-client.ts';
import { ApiError, isAbort, toApiError } from '../api/api-error.ts';
import { readSse } from '../api/read-sse.ts';
import type { PermissionMode, ServiceEvent, Session } from '../api/types.ts';
import { applyChunk, type Chunk } from './apply-chunk.ts';
import { type ChatMessage, type StoredMessage, toChatMessage } from './message.ts';

/** A page that is drawn for each of a thousand chunks a second would do nothing else. */
const DRAW_EVERY_MS = 50;
/** How often a turn that another client began is read again while it goes on. */
const READ_EVERY_MS = 700;

export interface ChatView {
  /** False until the session has been looked up. */
  readonly isLoaded: boolean;
  /** None before the first turn. */
  readonly session: Session | undefined;
  readonly messages: readonly ChatMessage[];
  readonly isRunning: boolean;
  readonly error: ApiError | undefined;
}

export type ChatRequest =
  | { readonly text: string }
  | { readonly approvals: readonly { readonly id: string; readonly approved: boolean }[] }
  | { readonly trigger: 'regenerate-message' };

export interface ChatOptions {
  readonly api: ApiClient;
  readonly agentId: string;
  readonly sessionId: string;
}

/**
 * A session's conversation. A turn that is begun here is shown by its stream, chunk by chunk. One that another client
 * began, or that is under way when the page opens, is followed by reading the messages again as it goes on.
 */
export class Chat {
  readonly #options: ChatOptions;
  readonly #closed = new AbortController();
  readonly #watchers = new Set<() => void>();
  #view: ChatView = { isLoaded: false, session: undefined, messages: [], isRunning: false, error: undefined };
  #drawing: ReturnType<typeof setTimeout> | undefined;
  /** A stream is being read, be it of our own turn or of another's. */
  #isReading = false;
  /** How the last turn failed: it is shown until there is another one, whatever is read meanwhile. */
  #turnError: ApiError | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  get view(): ChatView {
    return this.#view;
  }

  watch(callback: () => void): () => void {
    this.#watchers.add(callback);
    return () => this.#watchers.delete(callback);
  }

  /** Reads the session, and follows the turn that is under way. */
  async load(): Promise<void> {
    if (this.#isReading) return;
    await this.#read();
    if (this.#view.session?.state === 'running') await this.#follow();
  }

  /** What happens in the session elsewhere shows here, too. */
  notice({ type, agentId, sessionId }: ServiceEvent): void {
    const isOurs = agentId === this.#options.agentId && sessionId === this.#options.sessionId;
    if (type === 'console-reconnected') this.#turnError = undefined;
    if (type === 'console-reconnected' || (isOurs && /^(?:chat-(?:started|ended)|session-deleted)$/u.test(type))) {
      void this.load();
    }
  }

  /** Begins a turn, and settles when it is over. Failures show in the view. */
  async send(request: ChatRequest, permissionMode: PermissionMode | undefined): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { messages } = this.#view;
    const asked: readonly ChatMessage[] =
      'text' in request
        ? [{ id: `local-${messages.length}`, role: 'user', parts: [{ type: 'text', text: request.text }] }]
        : [];
    this.#turnError = undefined;
    this.#show({ messages: [...messages, ...asked], isRunning: true, error: undefined });
    try {
      const response = await this.#options.api.fetch(this.#path('/chat'), {
        method: 'POST',
        json: permissionMode === undefined ? request : { ...request, permissionMode },
        signal: this.#closed.signal,
      });
      await this.#stream(response, 'approvals' in request);
    } catch (failure) {
      if (isAbort(failure)) return;
      this.#turnError = toApiError(failure);
    } finally {
      this.#isReading = false;
    }
    await this.#read();
    // The line was lost, and not the turn.
    if (this.#view.session?.state === 'running') await this.#follow();
  }

  async stop(): Promise<void> {
    try {
      await this.#options.api.json(this.#path('/chat/stop'), { method: 'POST' });
    } catch (failure) {
      this.#show({ error: toApiError(failure) });
    }
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#drawing);
  }

  #path(rest: '' | '/messages' | '/chat' | '/chat/stop' | '/chat/stream'): string {
    const { agentId, sessionId } = this.#options;
    return `${apiPath`agents/${agentId}/sessions/${sessionId}`}${rest}`;
  }

  async #read(): Promise<void> {
    const { api } = this.#options;
    const { signal } = this.#closed;
    try {
      const [session, { messages }] = await Promise.all([
        api.json<Session>(this.#path(''), { signal }),
        api.json<{ readonly messages: readonly StoredMessage[] }>(this.#path('/messages'), { signal }),
      ]);
      const isRunning = this.#isReading || session.state === 'running';
      this.#show({ isLoaded: true, session, messages: messages.map(toChatMessage), isRunning, error: this.#turnError });
    } catch (failure) {
      if (isAbort(failure)) return;
      const isNew = failure instanceof ApiError && failure.code === 'session-not-found';
      const nothing = { isLoaded: true, session: undefined, messages: [], isRunning: false };
      if (isNew) this.#show({ ...nothing, error: this.#turnError });
      else this.#show({ isRunning: false, error: toApiError(failure) });
    }
  }

  /** Shows a turn by its chunks. */
  async #stream({ body }: Response, isContinuation: boolean): Promise<void> {
    if (body === null) return;
    const before = isContinuation ? this.#view.messages.slice(0, -1) : this.#view.messages;
    let answer: ChatMessage = (isContinuation ? this.#view.messages.at(-1) : undefined) ?? {
      id: `local-${before.length}`,
      role: 'assistant',
      parts: [],
    };
    for await (const { data } of readSse(body)) {
      if (data === '[DONE]') break;
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.type === 'error') {
        this.#turnError = new ApiError({ code: 'turn-failed', message: chunk.errorText, status: 200 });
      }
      answer = applyChunk(answer, chunk);
      this.#view = { ...this.#view, messages: [...before, answer] };
      this.#draw();
    }
  }

  async #follow(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#turnError = undefined;
    let readAtMs = 0;
    try {
      const { body } = await this.#options.api.fetch(this.#path('/chat/stream'), { signal: this.#closed.signal });
      if (body !== null) {
        for await (const _ of readSse(body)) {
          if (Date.now() - readAtMs < READ_EVERY_MS) continue;
          await this.#read();
          readAtMs = Date.now();
        }
      }
    } catch (failure) {
      if (isAbort(failure)) return;
      this.#turnError = toApiError(failure);
    } finally {
      this.#isReading = false;
    }
    await this.#read();
  }

  #show(change: Partial<ChatView>): void {
    this.#view = { ...this.#view, ...change };
    this.#draw();
  }

  #draw(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      for (const callback of this.#watchers) callback();
    }, DRAW_EVERY_MS);
  }
}

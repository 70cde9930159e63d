import { setTimeout as pause } from 'node:timers/promises';
import {
  type Logger,
  MCPCallCancelledError,
  MCPClientClosedError,
  type MCPClientState,
  MCPConnectFailedError,
  MCPSessionLostError,
  WorkspaceError,
} from '@agent-workspace/core';
import { RestartBackoff } from '../restart-backoff.ts';
import { waitFor } from '../wait.ts';
import type { MCPSession } from './mcp-session.ts';

/** A caller waits for a restart that is this close, and is told when it comes otherwise. */
const LONGEST_WAIT_FOR_RESTART_MS = 2000;
/** A session that lived this long, or answered a request, was no failed start. */
const STABLE_LIFE_MS = 10_000;

export interface SessionKeeperOptions {
  /** The server's name. */
  readonly name: string;
  /** Whether the server remembers something that is gone with a session. */
  readonly isStateful: boolean;
  /** Makes a session that has not been opened. `onEnd` is called when it ends. */
  readonly create: (onEnd: (error: WorkspaceError) => void) => Promise<MCPSession>;
  readonly onStateChange: (state: MCPClientState) => void;
  readonly logger: Logger;
}

/** Keeps a session to a server: opens it when it is wanted, once for all who want it, and again after a loss. */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  readonly #lifetime = new AbortController();
  readonly #backoff = new RestartBackoff();
  readonly #retired = new Set<MCPSession>();
  #state: MCPClientState = { kind: 'idle' };
  #session: MCPSession | undefined;
  /** The session that is being opened, or the last one. */
  #latest: MCPSession | undefined;
  /** By a clock that nobody sets. */
  #openedAt = 0;
  #opening: Promise<MCPSession> | undefined;
  /** The end of the session before, which the next one waits for. */
  #ending: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #starts = 0;
  #lastError: WorkspaceError | undefined;

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
  }

  get state(): MCPClientState {
    return this.#state;
  }

  get starts(): number {
    return this.#starts;
  }

  get lastError(): WorkspaceError | undefined {
    return this.#lastError;
  }

  get stderrTail(): string {
    return this.#latest?.stderrTail() ?? '';
  }

  /** Runs `work` on a session; once more on a new one if a server that keeps nothing for us forgot the session. */
  async use<T>(method: string, signal: AbortSignal | undefined, work: (session: MCPSession) => Promise<T>): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      const session = await this.#opened(method, signal);
      try {
        return await waitFor(work(session), signal, (cause) => this.#cancelled(method, cause));
      } catch (error) {
        if (!MCPSessionLostError.isInstance(error)) throw error;
        this.#lose(session, error);
        if (this.#options.isStateful || isAgain) throw error;
      } finally {
        if (session === this.#session) this.#showHealth(session);
      }
    }
  }

  /** Final and idempotent; never rejects. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#setState({ kind: 'closed' });
    this.#lifetime.abort();
    this.#session = undefined;
    const sessions = [...this.#retired, ...(this.#latest ? [this.#latest] : [])];
    const ends = await Promise.allSettled(sessions.map((session) => session.close()));
    await this.#opening?.catch(() => undefined);
    ends.push(...(await Promise.allSettled([this.#ending])));
    for (const end of ends) {
      if (end.status === 'rejected') this.#options.logger.warn('Closing left something behind', { error: end.reason });
    }
  }

  async #opened(method: string, signal: AbortSignal | undefined): Promise<MCPSession> {
    if (this.#closing) throw this.#closedError(method);
    if (signal?.aborted) throw this.#cancelled(method, signal.reason);
    if (this.#session) return this.#session;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return waitFor(this.#opening, signal, (cause) => this.#cancelled(method, cause));
  }

  async #open(): Promise<MCPSession> {
    await this.#waitForRestart();
    await this.#ending;
    if (this.#closing) throw this.#closedError();
    this.#setState({ kind: 'connecting' });
    try {
      const session: MCPSession = await this.#options.create((error) => this.#lose(session, error));
      this.#latest = session;
      if (this.#closing) throw this.#closedError();
      this.#starts += 1;
      await session.open();
      this.#session = session;
      this.#openedAt = performance.now();
      this.#setState({ kind: 'connected', pid: session.pid });
      return session;
    } catch (error) {
      this.#ending = this.#latest?.close() ?? this.#ending;
      if (this.#closing) {
        await this.#ending;
        throw this.#closedError();
      }
      this.#backoff.recordFailure();
      this.#setFailed(error, this.#backoff.retryAt);
      throw error;
    }
  }

  async #waitForRestart(): Promise<void> {
    const { remainingMs, retryAt, failures } = this.#backoff;
    if (remainingMs > LONGEST_WAIT_FOR_RESTART_MS) {
      const seconds = Math.ceil(remainingMs / 1000);
      const last = this.#lastError?.message ?? 'no reason is known';
      const reason = `it failed ${failures} times in a row, and is tried again in ${seconds} s. The last failure: ${last}`;
      throw new MCPConnectFailedError({ name: this.#options.name, reason, retryAt }, { cause: this.#lastError });
    }
    if (remainingMs === 0) return;
    await pause(remainingMs, undefined, { signal: this.#lifetime.signal }).catch(() => {
      throw this.#closedError();
    });
  }

  /** The session has ended, or the server does not know it any more. */
  #lose(session: MCPSession, error: WorkspaceError): void {
    if (session !== this.#session) return;
    this.#session = undefined;
    const isForgotten = MCPSessionLostError.isInstance(error);
    if (isForgotten) {
      // Other requests of it may still be answered.
      this.#retired.add(session);
      void session.retire().finally(() => this.#retired.delete(session));
    } else {
      this.#ending = session.close();
    }
    const wasStable = session.hasServed || performance.now() - this.#openedAt >= STABLE_LIFE_MS;
    if (wasStable) this.#backoff.recordSuccess();
    // A server that merely forgot is up, and there is nothing to wait for.
    if (!wasStable || !isForgotten) this.#backoff.recordFailure();
    this.#setFailed(error, this.#backoff.retryAt);
  }

  #showHealth(session: MCPSession): void {
    if (session.problem) this.#setFailed(session.problem);
    else if (this.#state.kind === 'failed') this.#setState({ kind: 'connected', pid: session.pid });
  }

  #setFailed(error: unknown, retryAt?: number): void {
    if (WorkspaceError.isInstance(error)) this.#lastError = error;
    const reason = error instanceof Error ? error.message : String(error);
    this.#setState({ kind: 'failed', reason, ...(retryAt !== undefined && { retryAt }) });
  }

  #setState(state: MCPClientState): void {
    if (this.#state.kind === 'closed') return;
    this.#state = state;
    this.#options.onStateChange(state);
  }

  #cancelled(method: string, cause: unknown): MCPCallCancelledError {
    return new MCPCallCancelledError({ name: this.#options.name, method }, { cause });
  }

  #closedError(method = 'initialize'): MCPClientClosedError {
    return new MCPClientClosedError({ name: this.#options.name, method });
  }
}

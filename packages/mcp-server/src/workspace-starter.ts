import type { Logger, Workspace } from '@agent-workspace/core';

export interface WorkspaceStarterOptions {
  readonly open: (signal: AbortSignal) => Promise<Workspace>;
  readonly close: (workspace: Workspace) => Promise<void>;
  /** Told once for each workspace, before those who wait for it. */
  readonly onStarted: (workspace: Workspace) => Promise<void>;
  readonly logger: Logger;
}

/**
 * The workspace of a connection: started when it is first needed, by one start for all who ask at
 * once, and again after a failure or where it is no longer alive.
 */
export class WorkspaceStarter {
  readonly #options: WorkspaceStarterOptions;
  readonly #ended = new AbortController();
  #current: Workspace | undefined;
  #starting: Promise<Workspace> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: WorkspaceStarterOptions) {
    this.#options = options;
  }

  /** The workspace, if it has been started and is alive. */
  get current(): Workspace | undefined {
    return this.#current?.isAlive === true ? this.#current : undefined;
  }

  /**
   * The workspace. A caller who gives up leaves the start to the others.
   *
   * @throws what opening throws; the signal's reason
   */
  async get(signal?: AbortSignal): Promise<Workspace> {
    signal?.throwIfAborted();
    const { current } = this;
    if (current !== undefined) return current;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return await orAborted(this.#starting, signal);
  }

  async #start(): Promise<Workspace> {
    const { open, onStarted } = this.#options;
    const { signal } = this.#ended;
    signal.throwIfAborted();
    const lost = this.#current;
    this.#current = undefined;
    if (lost !== undefined) await this.#closeQuietly(lost);
    const workspace = await open(signal);
    try {
      signal.throwIfAborted();
      await onStarted(workspace);
      signal.throwIfAborted();
    } catch (error) {
      await this.#closeQuietly(workspace);
      throw error;
    }
    this.#current = workspace;
    return workspace;
  }

  /** Ends a start that is under way, and closes the workspace. Idempotent. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#ended.abort(new Error('The connection was closed.'));
    await this.#starting?.catch(() => undefined);
    if (this.#current !== undefined) await this.#options.close(this.#current);
  }

  async #closeQuietly(workspace: Workspace): Promise<void> {
    try {
      await this.#options.close(workspace);
    } catch (error) {
      this.#options.logger.warn('A workspace could not be closed.', { workspaceId: workspace.workspaceId, error });
    }
  }
}

/** Waits for `work`, and no longer than until the signal. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

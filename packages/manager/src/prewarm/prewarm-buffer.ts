import { randomUUID } from 'node:crypto';
import { untilAborted, type Workspace } from '@agent-workspace/core';

/** Waits after a failed build, in milliseconds: doubled with each one in a row. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

export interface PrewarmOptions {
  /** Workspaces kept ready for whoever comes first. */
  readonly size: number;
  /** Of these, built at the same time. Default 2. */
  readonly maxCreating?: number | undefined;
}

export interface PrewarmBufferOptions<W> extends PrewarmOptions {
  readonly build: (workspaceId: string, options: { readonly signal: AbortSignal }) => Promise<W>;
  /** Ends a slot that is not handed over here: removes it with all that it has, unless it is somebody's by now. */
  readonly end: (workspace: W) => Promise<void>;
  readonly onPrewarmed: (workspaceId: string, durationMs: number) => void;
  readonly onFailed: (error: unknown, workspaceId: string, since: number) => void;
}

/** For what is behind a slot to show that it lives. One that fell asleep meanwhile takes seconds to wake. */
const LIFE_CHECK_MS = 10_000;

interface Slot<W> {
  readonly workspaceId: string;
  readonly abort: AbortController;
  /** `undefined` where it could not be built. */
  readonly built: Promise<W | undefined>;
  isReady: boolean;
}

/**
 * Workspaces that are built before anyone asks. Each slot is a promise with an id of its own: whoever
 * takes one that is still being built waits for it rather than start another. Nothing is recycled.
 */
export class PrewarmBuffer<W extends Workspace> {
  readonly #options: PrewarmBufferOptions<W>;
  readonly #free: Slot<W>[] = [];
  /** Promised to a key, not handed over yet. */
  readonly #reserved = new Map<string, Slot<W>>();
  #creating = 0;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PrewarmBufferOptions<W>) {
    this.#options = options;
  }

  /** Of the slots that are built. */
  listReady(): readonly string[] {
    return [...this.#free, ...this.#reserved.values()].flatMap((slot) => (slot.isReady ? [slot.workspaceId] : []));
  }

  /** Begins the builds that are missing, as far as may be built at once. */
  fill(): void {
    const { size, maxCreating = 2 } = this.#options;
    if (this.#isClosed || this.#retry !== undefined) return;
    while (this.#free.length < size && this.#creating < maxCreating) this.#free.push(this.#create());
  }

  /** @returns the id of a slot that is the caller's now: one that is ready, else one that is being built */
  reserve(): string | undefined {
    const ready = this.#free.findIndex(({ isReady }) => isReady);
    const [slot] = this.#free.splice(Math.max(ready, 0), 1);
    if (slot === undefined) return undefined;
    this.#reserved.set(slot.workspaceId, slot);
    this.fill();
    return slot.workspaceId;
  }

  /** Whether there is a slot of that id to be taken. */
  isReserved(workspaceId: string): boolean {
    return this.#reserved.has(workspaceId);
  }

  /** Gives back a slot that was reserved, and is known to have been promised to nobody. */
  giveBack(workspaceId: string): void {
    const slot = this.#reserved.get(workspaceId);
    if (slot === undefined) return;
    this.#reserved.delete(workspaceId);
    this.#free.unshift(slot);
  }

  /**
   * Hands over a slot that was reserved.
   *
   * @returns `undefined` where there is none of that id, or it was not built, or does not live any more
   */
  async take(workspaceId: string, { signal }: { readonly signal: AbortSignal }): Promise<W | undefined> {
    const slot = this.#reserved.get(workspaceId);
    if (slot === undefined) return undefined;
    this.#reserved.delete(workspaceId);
    const abort = (): void => slot.abort.abort();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const workspace = await slot.built;
    signal.removeEventListener('abort', abort);
    if (workspace === undefined) return undefined;
    if (!signal.aborted && (await isAlive(workspace))) return workspace;
    await this.#end(workspace);
    return undefined;
  }

  /** Ends a slot that was reserved, and is not to be handed over. */
  async drop(workspaceId: string): Promise<void> {
    await this.take(workspaceId, { signal: AbortSignal.abort() });
  }

  /** Ends the builds, and what nobody took. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const slots = [...this.#free.splice(0), ...this.#reserved.values()];
    this.#reserved.clear();
    for (const { abort } of slots) abort.abort();
    await Promise.all(slots.map(async ({ built }) => this.#end(await built)));
  }

  #create(): Slot<W> {
    const workspaceId = randomUUID();
    const abort = new AbortController();
    const since = performance.now();
    this.#creating += 1;
    const slot: Slot<W> = {
      workspaceId,
      abort,
      isReady: false,
      built: this.#options.build(workspaceId, { signal: abort.signal }).then(
        (workspace) => {
          slot.isReady = true;
          this.#failures = 0;
          this.#options.onPrewarmed(workspaceId, performance.now() - since);
          this.#ended();
          return workspace;
        },
        (error: unknown) => {
          const index = this.#free.indexOf(slot);
          if (index >= 0) this.#free.splice(index, 1);
          if (!abort.signal.aborted) {
            this.#options.onFailed(error, workspaceId, since);
            this.#backOff();
          }
          this.#ended();
          return undefined;
        },
      ),
    };
    return slot;
  }

  #ended(): void {
    this.#creating -= 1;
    this.fill();
  }

  #backOff(): void {
    clearTimeout(this.#retry);
    const waitMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, LONGEST_BACKOFF_MS);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.fill();
    }, waitMs);
    this.#retry.unref();
  }

  async #end(workspace: W | undefined): Promise<void> {
    if (workspace === undefined) return;
    const since = performance.now();
    try {
      await this.#options.end(workspace);
    } catch (error) {
      this.#options.onFailed(error, workspace.workspaceId, since);
    }
  }
}

/** Whether what is behind a workspace answers, by asking it for its directory. */
async function isAlive(workspace: Workspace): Promise<boolean> {
  if (!workspace.isAlive) return false;
  try {
    const found = workspace.backend.stat(workspace.workdir);
    return (await untilAborted(found, AbortSignal.timeout(LIFE_CHECK_MS))) !== undefined;
  } catch {
    // Why does not matter: another one is made.
    return false;
  }
}

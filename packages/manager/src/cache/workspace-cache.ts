import { type Workspace, WorkspaceClosedError, WorkspaceLostError } from '@agent-workspace/core';
import { untilAborted } from './until-aborted.ts';

export interface WorkspaceCacheOptions<W> {
  /** Makes the workspace ready. What it has made is taken back if the signal is aborted. */
  readonly build: (workspaceId: string, options: { readonly signal: AbortSignal }) => Promise<W>;
  /** Closes one that is cached and dead, before it is built anew. */
  readonly bury: (workspace: W) => Promise<void>;
}

export interface UseOptions {
  /** Gives up waiting; the build goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Called before a build is begun, which it may refuse by throwing. */
  readonly onBegin?: (() => void) | undefined;
}

/** One workspace id: first being built, then ready, then being ended. */
class Entry<W> {
  readonly #abort = new AbortController();
  /** Settles as the build does, whoever still wants it. */
  readonly building: Promise<W | undefined>;
  /** For those who wait for the workspace. */
  readonly ready: Promise<W>;
  workspace: W | undefined;
  ending: Promise<void> | undefined;

  constructor(workspaceId: string, build: (options: { readonly signal: AbortSignal }) => Promise<W>) {
    const { signal } = this.#abort;
    const building = build({ signal });
    this.building = building.catch(() => undefined);
    const closed = (cause?: unknown): WorkspaceClosedError => new WorkspaceClosedError({ workspaceId }, { cause });
    this.ready = building.then(
      (workspace) => {
        if (signal.aborted) throw closed();
        this.workspace = workspace;
        return workspace;
      },
      (error: unknown) => {
        throw signal.aborted ? closed(error) : error;
      },
    );
    // Perhaps nobody waits any more.
    this.ready.catch(() => undefined);
  }

  abort(): void {
    this.#abort.abort();
  }
}

/**
 * The workspaces that are open, by id. Each id is built once at a time, whoever asks; no id waits for
 * another; a failure is told to those who wait, and not remembered.
 */
export class WorkspaceCache<W extends Workspace> {
  readonly #options: WorkspaceCacheOptions<W>;
  readonly #entries = new Map<string, Entry<W>>();
  /** Ids whose data went with what they ran in. */
  readonly #lost = new Set<string>();

  constructor(options: WorkspaceCacheOptions<W>) {
    this.#options = options;
  }

  has(workspaceId: string): boolean {
    return this.#entries.has(workspaceId);
  }

  /**
   * Hands over a workspace that is ready, built first if need be.
   *
   * @param take is given the workspace at a moment when it is alive and nobody has begun to end it
   * @throws `workspace-closed` where it is closed while it is built, `workspace-lost`, and what the build throws
   */
  async use<T>(workspaceId: string, take: (workspace: W) => T, { signal, onBegin }: UseOptions = {}): Promise<T> {
    for (;;) {
      if (this.#lost.has(workspaceId)) throw new WorkspaceLostError({ workspaceId });
      let entry = this.#entries.get(workspaceId);
      if (entry === undefined) {
        onBegin?.();
        entry = this.#begin(workspaceId);
      }
      if (entry.ending !== undefined) {
        await untilAborted(entry.ending.catch(ignore), signal);
        continue;
      }
      if (entry.workspace === undefined) {
        await untilAborted(entry.ready, signal);
        continue;
      }
      if (entry.workspace.isAlive) return take(entry.workspace);
      await untilAborted(this.#bury(workspaceId, entry), signal);
    }
  }

  /**
   * Ends a workspace, or does something for which it must not be open. Whoever asks for it meanwhile
   * waits for the end. What is being built is aborted first.
   *
   * @param work is given the workspace, if it was open
   */
  async end(workspaceId: string, work: (workspace: W | undefined) => Promise<void>): Promise<void> {
    let entry = this.#entries.get(workspaceId);
    while (entry?.ending !== undefined) {
      await entry.ending.catch(ignore);
      entry = this.#entries.get(workspaceId);
    }
    if (entry === undefined) {
      entry = new Entry<W>(workspaceId, () => Promise.reject(new WorkspaceClosedError({ workspaceId })));
      this.#entries.set(workspaceId, entry);
    }
    await this.#end(workspaceId, entry, work);
  }

  /** Aborts what is being built. Settles when nothing is built any more. */
  async abortBuilds(): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const [workspaceId, entry] of this.#entries) {
      if (entry.ending === undefined && entry.workspace === undefined) {
        ends.push(this.#end(workspaceId, entry, async (workspace) => workspace?.close()));
      }
    }
    await Promise.allSettled(ends);
  }

  /** Ends those that are ready and for which the test holds, side by side. Settles when all have ended. */
  async endWhere(test: (workspace: W) => boolean, work: (workspace: W) => Promise<void>): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const [workspaceId, entry] of this.#entries) {
      const { workspace, ending } = entry;
      if (workspace === undefined || ending !== undefined || !test(workspace)) continue;
      ends.push(this.#end(workspaceId, entry, () => work(workspace)));
    }
    await Promise.allSettled(ends);
  }

  /** Forgets that the data of an id are lost, once they are not wanted any more. */
  forgive(workspaceId: string): void {
    this.#lost.delete(workspaceId);
  }

  #begin(workspaceId: string): Entry<W> {
    const entry = new Entry<W>(workspaceId, (options) => this.#options.build(workspaceId, options));
    this.#entries.set(workspaceId, entry);
    entry.ready.catch(() => {
      if (entry.ending === undefined) this.#remove(workspaceId, entry);
    });
    return entry;
  }

  #end(workspaceId: string, entry: Entry<W>, work: (workspace: W | undefined) => Promise<void>): Promise<void> {
    entry.abort();
    entry.ending = entry.building.then(work).finally(() => this.#remove(workspaceId, entry));
    return entry.ending;
  }

  async #bury(workspaceId: string, entry: Entry<W>): Promise<void> {
    const { workspace } = entry;
    if (workspace === undefined || entry.ending !== undefined) return;
    // Said before anyone can ask again.
    if (!workspace.isPersistent) this.#lost.add(workspaceId);
    await this.#end(workspaceId, entry, () => this.#options.bury(workspace));
  }

  #remove(workspaceId: string, entry: Entry<W>): void {
    if (this.#entries.get(workspaceId) === entry) this.#entries.delete(workspaceId);
  }
}

function ignore(): void {}

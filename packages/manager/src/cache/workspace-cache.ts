import { untilAborted, type Workspace, WorkspaceClosedError } from '@agent-workspace/core';
import { lostError } from './lost-error.ts';

export interface BuildOptions {
  readonly signal: AbortSignal;
  /** It was open and died: its data have to be found again, and nothing new may take its place. */
  readonly hasDied: boolean;
  /** Of the first one who asked. */
  readonly prepare?: (() => Promise<unknown>) | undefined;
}

export interface WorkspaceCacheOptions<W> {
  /** Makes the workspace ready. What it has made is taken back if the signal is aborted. */
  readonly build: (workspaceId: string, options: BuildOptions) => Promise<W>;
  /** Closes one that is cached and dead, before it is built anew. Tells of its own failure. */
  readonly bury: (workspace: W) => Promise<void>;
}

export interface UseOptions {
  /** Gives up waiting; the build goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Refuses, by throwing, whoever is not let in any more. Called before each thing that is begun or handed over. */
  readonly admit?: (() => void) | undefined;
  /** Handed to a build that is begun by this call. */
  readonly prepare?: BuildOptions['prepare'];
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
    this.ready.catch(ignore);
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
  /** Ids that died and were not opened again yet. */
  readonly #died = new Set<string>();
  /** Ids whose data went with what they ran in. */
  readonly #lost = new Set<string>();

  constructor(options: WorkspaceCacheOptions<W>) {
    this.#options = options;
  }

  has(workspaceId: string): boolean {
    return this.#entries.has(workspaceId);
  }

  /** Those that are ready, and that nobody has begun to end. */
  listReady(): readonly W[] {
    return [...this.#entries.values()].flatMap(({ workspace, ending }) =>
      workspace === undefined || ending !== undefined ? [] : [workspace],
    );
  }

  /**
   * Hands over a workspace that is ready, built first if need be.
   *
   * @param take is given the workspace at a moment when it is alive and nobody has begun to end it
   * @throws `workspace-closed` where it is closed while it is built, `workspace-lost`, and what the build throws
   */
  async use<T>(workspaceId: string, take: (workspace: W) => T, options: UseOptions = {}): Promise<T> {
    const { signal, admit, prepare } = options;
    for (;;) {
      signal?.throwIfAborted();
      admit?.();
      if (this.#lost.has(workspaceId)) throw lostError(workspaceId);
      const entry = this.#entries.get(workspaceId) ?? this.#begin(workspaceId, prepare);
      if (entry.ending !== undefined) {
        await untilAborted(entry.ending.catch(ignore), signal);
      } else if (entry.workspace === undefined) {
        await untilAborted(entry.ready, signal);
      } else if (entry.workspace.isAlive) {
        return take(entry.workspace);
      } else {
        await untilAborted(this.#bury(workspaceId, entry, entry.workspace), signal);
      }
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
  async abortBuilds(work: (workspace: W) => Promise<void>): Promise<void> {
    await this.#endEach(({ workspace }) => workspace === undefined, work);
  }

  /** Ends those that are ready and for which the test holds, side by side. Settles when all have ended. */
  async endWhere(test: (workspace: W) => boolean, work: (workspace: W) => Promise<void>): Promise<void> {
    await this.#endEach(({ workspace }) => workspace !== undefined && test(workspace), work);
  }

  /** Settles when whatever has been begun to end, by anyone, has ended. */
  async untilEnded(): Promise<void> {
    await Promise.allSettled([...this.#entries.values()].map(async ({ ending }) => ending));
  }

  /** Remembers that the data of an id have gone. */
  lose(workspaceId: string): void {
    this.#lost.add(workspaceId);
    this.#died.delete(workspaceId);
  }

  /** Forgets that the data of an id have gone, since they are not wanted any more. */
  forgive(workspaceId: string): void {
    this.#lost.delete(workspaceId);
    this.#died.delete(workspaceId);
  }

  #begin(workspaceId: string, prepare: BuildOptions['prepare']): Entry<W> {
    const hasDied = this.#died.has(workspaceId);
    const entry = new Entry<W>(workspaceId, ({ signal }) =>
      this.#options.build(workspaceId, { signal, hasDied, prepare }),
    );
    this.#entries.set(workspaceId, entry);
    entry.ready.then(
      () => this.#died.delete(workspaceId),
      () => {
        if (entry.ending === undefined) this.#remove(workspaceId, entry);
      },
    );
    return entry;
  }

  async #endEach(test: (entry: Entry<W>) => boolean, work: (workspace: W) => Promise<void>): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const [workspaceId, entry] of this.#entries) {
      if (entry.ending !== undefined || !test(entry)) continue;
      ends.push(
        this.#end(workspaceId, entry, async (workspace) => {
          if (workspace !== undefined) await work(workspace);
        }),
      );
    }
    await Promise.allSettled(ends);
  }

  #end(workspaceId: string, entry: Entry<W>, work: (workspace: W | undefined) => Promise<void>): Promise<void> {
    entry.abort();
    entry.ending = entry.building.then(work).finally(() => this.#remove(workspaceId, entry));
    return entry.ending;
  }

  async #bury(workspaceId: string, entry: Entry<W>, workspace: W): Promise<void> {
    // Said before anyone can ask again.
    if (workspace.isPersistent) this.#died.add(workspaceId);
    else this.#lost.add(workspaceId);
    await this.#end(workspaceId, entry, () => this.#options.bury(workspace)).catch(ignore);
  }

  #remove(workspaceId: string, entry: Entry<W>): void {
    if (this.#entries.get(workspaceId) === entry) this.#entries.delete(workspaceId);
  }
}

/** Who failed has told of it. */
function ignore(): void {}

import { ConnectError } from '../connect/connect-error.ts';
import { type DirectoryChange, DirectoryWatcher } from './directory-watcher.ts';
import { type EntryInfo, entryInfo } from './entry-info.ts';
import { sharedInotify } from './inotify.ts';

/** `filesystem.FilesystemEvent`. */
export interface FilesystemEvent {
  readonly name: string;
  readonly type: DirectoryChange['type'];
  readonly entry?: EntryInfo;
}

/** What one client watches. */
export interface WatchSessionOptions {
  readonly path: string;
  readonly isRecursive: boolean;
  /** Events tell of the entry as it is when they are read. */
  readonly includesEntry: boolean;
}

/** Of a removed or renamed entry there is nothing to tell; what lies at its path by now is another one. */
const WITH_ENTRY: ReadonlySet<string> = new Set(['EVENT_TYPE_CREATE', 'EVENT_TYPE_WRITE', 'EVENT_TYPE_CHMOD']);

/** The events of one watch, kept until they are read. */
export class WatchSession implements Disposable {
  readonly #options: WatchSessionOptions;
  readonly #watcher: DirectoryWatcher;
  readonly #changes: DirectoryChange[] = [];
  #failure: ConnectError | undefined;
  #wake: () => void = () => undefined;

  /** @throws ConnectError `unimplemented` on a platform without inotify */
  constructor(options: WatchSessionOptions) {
    const inotify = sharedInotify();
    if (inotify === undefined) {
      const message = `watching directories takes inotify, which ${process.platform} does not have; use a Linux sandbox`;
      throw new ConnectError('unimplemented', message);
    }
    this.#options = options;
    this.#watcher = new DirectoryWatcher({
      inotify,
      path: options.path,
      isRecursive: options.isRecursive,
      onChange: (change) => {
        this.#changes.push(change);
        this.#wake();
      },
      onOverflow: (error) => {
        this.#failure = error;
        this.#wake();
      },
    });
  }

  /** @throws ConnectError `internal` */
  start(): void {
    this.#watcher.start();
  }

  /**
   * What has happened since it was last asked.
   *
   * @throws ConnectError `internal` once the kernel has dropped events
   */
  async take(): Promise<FilesystemEvent[]> {
    if (this.#failure !== undefined) throw this.#failure;
    return await Promise.all(this.#changes.splice(0).map((change) => this.#toEvent(change)));
  }

  /** What happens, as it happens, until the signal is aborted. Throws what it is aborted with. */
  async *follow(signal: AbortSignal): AsyncGenerator<FilesystemEvent, never> {
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      for (;;) {
        signal.throwIfAborted();
        const changed = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        const events = await this.take();
        yield* events;
        if (events.length === 0) await changed;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  [Symbol.dispose](): void {
    this.#watcher[Symbol.dispose]();
  }

  async #toEvent({ name, type, path }: DirectoryChange): Promise<FilesystemEvent> {
    if (!this.#options.includesEntry || !WITH_ENTRY.has(type)) return { name, type };
    // It may be gone by now; the event itself is still to be told.
    const entry = await entryInfo(path).catch(() => undefined);
    return { name, type, ...(entry !== undefined && { entry }) };
  }
}

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ConnectError } from '../connect/connect-error.ts';
import { IN, type Inotify } from './inotify.ts';
import { describeError } from './system-error.ts';

type EventType = 'CREATE' | 'WRITE' | 'REMOVE' | 'RENAME' | 'CHMOD';

/** One thing that happened in a watched directory. */
export interface DirectoryChange {
  readonly type: `EVENT_TYPE_${EventType}`;
  /** Relative to the watched directory; `.` for itself. */
  readonly name: string;
  readonly path: string;
}

/** What to watch, and who is told. */
export interface DirectoryWatcherOptions {
  readonly inotify: Inotify;
  readonly path: string;
  /** Also directories in it, those that are made later included. */
  readonly isRecursive: boolean;
  readonly onChange: (change: DirectoryChange) => void;
  /** The kernel has dropped events. */
  readonly onOverflow: (error: ConnectError) => void;
}

/** Which event each bit of the kernel's mask becomes, in the order in which one event with several is told. */
const EVENTS: readonly (readonly [mask: number, type: EventType])[] = [
  [IN.CREATE | IN.MOVED_TO, 'CREATE'],
  [IN.MOVED_FROM | IN.MOVE_SELF, 'RENAME'],
  [IN.ATTRIB, 'CHMOD'],
  [IN.MODIFY, 'WRITE'],
  [IN.DELETE | IN.DELETE_SELF, 'REMOVE'],
];

/** Watches a directory, from {@link start} until it is disposed of. */
export class DirectoryWatcher implements Disposable {
  readonly #options: DirectoryWatcherOptions;
  readonly #watches = new Map<string, Disposable>();

  constructor(options: DirectoryWatcherOptions) {
    this.#options = options;
  }

  /**
   * All that happens after it has returned is told.
   *
   * @throws ConnectError `internal`
   */
  start(): void {
    const { path } = this.#options;
    try {
      this.#watch(path);
    } catch (error) {
      const reason = describeError(error, 'inotify_add_watch', path);
      throw new ConnectError('internal', `error adding path ${path} to watcher: ${reason}`, { cause: error });
    }
    if (this.#options.isRecursive) this.#watchBelow(path);
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches.values()) watch[Symbol.dispose]();
    this.#watches.clear();
  }

  #watch(directory: string): void {
    const listen = (mask: number, name: string): void => this.#handle(directory, mask, name);
    this.#watches.set(directory, this.#options.inotify.watch(directory, listen));
  }

  #watchBelow(directory: string): void {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) this.#watchTree(join(directory, entry.name));
    }
  }

  #watchTree(directory: string): void {
    try {
      this.#watch(directory);
      this.#watchBelow(directory);
    } catch {
      // It has gone again, or is not a directory any more: then nothing can happen in it.
      this.#forgetTree(directory);
    }
  }

  #forgetTree(directory: string): void {
    for (const [path, watch] of this.#watches) {
      if (path !== directory && !path.startsWith(`${directory}/`)) continue;
      this.#watches.delete(path);
      watch[Symbol.dispose]();
    }
  }

  #handle(directory: string, mask: number, name: string): void {
    const { path: root, isRecursive, onChange, onOverflow } = this.#options;
    if ((mask & IN.Q_OVERFLOW) !== 0) {
      onOverflow(new ConnectError('internal', 'watcher error: fsnotify: queue or buffer overflow'));
      return;
    }
    // Of the end of a directory below, the one above it tells already.
    const isToldAbove = directory !== root && (mask & (IN.DELETE_SELF | IN.MOVE_SELF)) !== 0;
    const path = name === '' ? directory : join(directory, name);
    if (!isToldAbove) {
      for (const [bits, type] of EVENTS) {
        if ((mask & bits) === 0) continue;
        onChange({ type: `EVENT_TYPE_${type}`, name: relative(root, path) || '.', path });
      }
    }
    if ((mask & (IN.IGNORED | IN.MOVE_SELF)) !== 0) this.#forgetTree(directory);
    if (!isRecursive || (mask & IN.ISDIR) === 0) return;
    if ((mask & IN.MOVED_FROM) !== 0) this.#forgetTree(path);
    if ((mask & (IN.CREATE | IN.MOVED_TO)) !== 0) this.#watchTree(path);
  }
}

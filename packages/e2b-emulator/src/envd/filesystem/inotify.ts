import { closeSync, read } from 'node:fs';
import { endianness } from 'node:os';
import { type Libc, loadLibc } from './libc.ts';

/** What the kernel tells of. The names are those of inotify(7). */
export const IN = {
  MODIFY: 0x2,
  ATTRIB: 0x4,
  MOVED_FROM: 0x40,
  MOVED_TO: 0x80,
  CREATE: 0x100,
  DELETE: 0x200,
  DELETE_SELF: 0x400,
  MOVE_SELF: 0x800,
  Q_OVERFLOW: 0x4000,
  IGNORED: 0x8000,
  ISDIR: 0x4000_0000,
} as const;

const WATCHED =
  IN.MODIFY | IN.ATTRIB | IN.MOVED_FROM | IN.MOVED_TO | IN.CREATE | IN.DELETE | IN.DELETE_SELF | IN.MOVE_SELF;

const HEADER_BYTES = 16;
const BUFFER_BYTES = 65_536;

interface KernelEvent {
  readonly watch: number;
  readonly mask: number;
  /** Of the entry in the watched directory; empty for the directory itself. */
  readonly name: string;
}

/** Called for each event in the watched directory. `name` is empty for the directory itself. */
export type InotifyListener = (mask: number, name: string) => void;

const readNumber = endianness() === 'LE' ? 'readUInt32LE' : 'readUInt32BE';

/** @see https://man7.org/linux/man-pages/man7/inotify.7.html `struct inotify_event` */
export function* parseEvents(bytes: Buffer): Generator<KernelEvent> {
  for (let offset = 0; offset < bytes.length;) {
    const nameBytes = bytes[readNumber](offset + 12);
    const name = bytes.toString('utf8', offset + HEADER_BYTES, offset + HEADER_BYTES + nameBytes);
    const terminator = name.indexOf('\0');
    yield {
      watch: bytes[readNumber](offset) | 0,
      mask: bytes[readNumber](offset + 4),
      name: terminator === -1 ? name : name.slice(0, terminator),
    };
    offset += HEADER_BYTES + nameBytes;
  }
}

/**
 * One inotify instance for all watches of envd: the kernel counts instances, and reading from each would hold a
 * thread. Open as long as anything is watched.
 */
export class Inotify {
  readonly #libc: Libc;
  readonly #listeners = new Map<number, Set<InotifyListener>>();
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);
  #descriptor: number | undefined;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /**
   * Watches a directory until disposed of.
   *
   * @throws an error of the system
   */
  watch(directory: string, listener: InotifyListener): Disposable {
    const descriptor = this.#descriptor ?? this.#open();
    // The kernel has one watch for a directory, under whatever path it is asked for.
    const watch = this.#libc.inotifyAddWatch(descriptor, directory, WATCHED);
    const listeners = this.#listeners.get(watch) ?? new Set();
    this.#listeners.set(watch, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size > 0 || this.#listeners.get(watch) !== listeners) return;
        this.#listeners.delete(watch);
        // The kernel answers with an event, which ends the read under way and so lets the instance be closed.
        this.#libc.inotifyRemoveWatch(descriptor, watch);
      },
    };
  }

  #open(): number {
    const descriptor = this.#libc.inotifyInit();
    this.#descriptor = descriptor;
    process.on('exit', this.#endRead);
    this.#read(descriptor);
    return descriptor;
  }

  #read(descriptor: number): void {
    read(descriptor, this.#buffer, 0, BUFFER_BYTES, null, (error, length) => {
      if (error === null) {
        for (const event of parseEvents(this.#buffer.subarray(0, length))) this.#dispatch(event);
      }
      if (error === null && this.#listeners.size > 0) this.#read(descriptor);
      else this.#close(descriptor);
    });
  }

  #dispatch({ watch, mask, name }: KernelEvent): void {
    const isForAll = (mask & IN.Q_OVERFLOW) !== 0;
    const called = isForAll ? [...this.#listeners.values()].flatMap((set) => [...set]) : this.#listeners.get(watch);
    if ((mask & IN.IGNORED) !== 0) this.#listeners.delete(watch);
    for (const listener of called ?? []) listener(mask, name);
  }

  #close(descriptor: number): void {
    this.#descriptor = undefined;
    this.#listeners.clear();
    process.off('exit', this.#endRead);
    closeSync(descriptor);
  }

  /** Node waits for its threads at exit, and the one that reads would wait for ever. */
  readonly #endRead = (): void => {
    if (this.#descriptor === undefined) return;
    for (const watch of this.#listeners.keys()) this.#libc.inotifyRemoveWatch(this.#descriptor, watch);
  };
}

let shared: Inotify | undefined;

/** The process's instance; `undefined` on a platform without inotify. */
export function sharedInotify(): Inotify | undefined {
  const libc = loadLibc();
  return libc && (shared ??= new Inotify(libc));
}

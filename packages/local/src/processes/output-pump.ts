import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long output that is still in a pipe is waited for once the leader has exited. */
const DRAIN_MS = 100;
/** More than a pipe or socket pair holds: what is read past it was written after the leader's exit. */
const PIPE_CAPACITY_BYTES = 4 * 1024 * 1024;

/** What it returns is waited for before more of the stream is read, as long as the leader runs. */
type Sink = (bytes: Uint8Array) => Promise<void> | undefined;

/** Reads the output of a command to the end of the pipes, or until its leader's output is in. */
export class OutputPump {
  readonly #streams: readonly Readable[];
  readonly #closed: Promise<unknown>;
  #isOpen: boolean;
  #isDetached = false;
  #isDraining = false;
  #readBytes = 0;

  constructor(outputs: readonly { readonly stream: Readable; readonly sink: Sink }[]) {
    this.#streams = outputs.map(({ stream }) => stream);
    this.#isOpen = true;
    for (const { stream, sink } of outputs) {
      stream.on('data', (bytes: Buffer) => {
        if (this.#isDetached) return;
        this.#readBytes += bytes.length;
        const handled = sink(bytes);
        if (handled === undefined || this.#isDraining) return;
        stream.pause();
        void handled.then(() => stream.resume());
      });
      // A broken pipe ends like any other; `close` follows.
      stream.on('error', () => undefined);
    }
    this.#closed = Promise.all(
      this.#streams.map((stream) => new Promise<void>((resolve) => void stream.once('close', resolve))),
    ).then(() => {
      this.#isOpen = false;
    });
  }

  /** To be called at the leader's exit: settles when all that it wrote has been read. */
  async drain(): Promise<void> {
    // No more can come now than the pipes hold.
    this.#isDraining = true;
    for (const stream of this.#streams) stream.resume();
    const readAtExit = this.#readBytes;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, DRAIN_MS);
      void this.#closed.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    // In a busy process the time may be over before the pipe was looked at: go on while there is something in it.
    for (let before = -1; this.#isOpen && before !== this.#readBytes;) {
      if (this.#readBytes - readAtExit > PIPE_CAPACITY_BYTES) break;
      before = this.#readBytes;
      await nextTurn();
    }
    this.#isDetached = true;
  }

  /**
   * Goes on reading, and forgets what it reads, for those who still hold a pipe: a server left
   * behind would die of its next line of log. It keeps this process from nothing.
   */
  leaveOpen(): void {
    for (const stream of this.#streams) {
      if (stream instanceof Socket) stream.unref();
    }
  }

  destroy(): void {
    for (const stream of this.#streams) stream.destroy();
  }
}

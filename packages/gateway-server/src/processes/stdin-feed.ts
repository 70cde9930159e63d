import { IOFailedError } from '@agent-workspace/core';
import { Change, type UntilOptions } from '../async/change.ts';

/** The stdin of a process, fed by requests that need not wait for it to be read. */
export class StdinFeed {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #name: string;
  readonly #change = new Change();
  #pendingWrites = 0;
  #error: unknown;

  /** @param name what errors call it */
  constructor(stream: WritableStream<Uint8Array>, name: string) {
    this.#writer = stream.getWriter();
    this.#name = name;
    this.#writer.closed.catch((error: unknown) => this.#fail(error));
  }

  /** Takes the bytes at once, whether they are read or not. */
  write(bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.#follow(this.#writer.write(bytes));
  }

  end(): void {
    this.#follow(this.#writer.close());
  }

  /**
   * Waits until everything has been passed on. @returns whether something has not
   * @throws `io-failed` if the process has closed its stdin
   */
  async isBlocked(options: UntilOptions): Promise<boolean> {
    await this.#change.until(() => this.#pendingWrites === 0 || this.#error !== undefined, options);
    if (this.#error !== undefined) {
      const errno = (this.#error as NodeJS.ErrnoException).code ?? 'it is closed';
      throw new IOFailedError({ path: this.#name, operation: 'write to', errno }, { cause: this.#error });
    }
    return this.#pendingWrites > 0;
  }

  #follow(work: Promise<void>): void {
    this.#pendingWrites += 1;
    work.then(
      () => {
        this.#pendingWrites -= 1;
        this.#change.notify();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#change.notify();
  }
}

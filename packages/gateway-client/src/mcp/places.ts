import { untilAborted } from '@agent-workspace/core';

/** Places that are taken and given back; who finds none free waits in turn. */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** One that is free, if there is. */
  takeFree(): Disposable | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return { [Symbol.dispose]: () => this.#giveBack() };
  }

  /** One, as soon as there is. @throws the signal's reason, when it is aborted before that */
  async take(signal: AbortSignal): Promise<Disposable> {
    const free = this.takeFree();
    if (free !== undefined) return free;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await untilAborted(promise, signal);
    } catch (error) {
      // It may have been given one in the same moment.
      if (!this.#waiting.delete(resolve)) this.#giveBack();
      throw error;
    }
    return { [Symbol.dispose]: () => this.#giveBack() };
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

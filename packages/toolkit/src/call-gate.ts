/**
 * Lets calls that may run beside others do so, and gives every other call the floor to itself.
 * First come, first served: a call that came later never overtakes one that waits.
 */
export class CallGate {
  #shared = 0;
  #isExclusive = false;
  readonly #waiting: Waiter[] = [];

  /**
   * Waits for its turn.
   *
   * @param isShared whether it may run beside other shared calls
   * @returns gives the turn back; to be called once
   * @throws the signal's reason, where it is aborted before the turn comes
   */
  async enter(isShared: boolean, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { isShared, admit: resolve };
    const onAbort = (): void => {
      const index = this.#waiting.indexOf(waiter);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      this.#admit();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(waiter);
    this.#admit();
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    return () => this.#leave(isShared);
  }

  #leave(isShared: boolean): void {
    if (isShared) this.#shared -= 1;
    else this.#isExclusive = false;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const isFree = !this.#isExclusive && (next.isShared || this.#shared === 0);
      if (!isFree) return;
      this.#waiting.shift();
      if (next.isShared) this.#shared += 1;
      else this.#isExclusive = true;
      next.admit();
    }
  }
}

interface Waiter {
  readonly isShared: boolean;
  readonly admit: () => void;
}

/** More than any replica looks at, at once; of the oldest the watch begins anew. */
const MOST_WATCHED = 10_000;

interface Sight {
  readonly state: string;
  readonly since: number;
}

/**
 * How long nothing has been seen to change, by this process's own monotonic clock alone. The clocks of replicas differ,
 * and the time that one of them writes means nothing to another, so a lease has run out for an observer who has seen no
 * renewal of it for its whole duration.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/tools/leaderelection
 */
export class ObservedSilence {
  readonly #sights = new Map<string, Sight>();

  /**
   * Notes what is seen of something.
   *
   * @param askedAt when it was asked for, by `performance.now()`
   * @returns the milliseconds for which it certainly was like this
   */
  note(name: string, state: string, askedAt: number): number {
    const seen = this.#sights.get(name);
    const isSame = seen?.state === state;
    // Counted from when the answer was there, until the next question was not yet asked.
    const sight = isSame ? seen : { state, since: performance.now() };
    this.#sights.delete(name);
    this.#sights.set(name, sight);
    const [oldest] = this.#sights.keys();
    if (this.#sights.size > MOST_WATCHED && oldest !== undefined) this.#sights.delete(oldest);
    return Math.max(0, askedAt - sight.since);
  }

  forget(name: string): void {
    this.#sights.delete(name);
  }
}

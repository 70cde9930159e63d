import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 8;

/** Lets long synchronous work take turns with everything else on the event loop. */
export class Pacer {
  /** Throws if the work is no longer wanted. */
  readonly check: () => void;
  #sliceEnd: number = performance.now() + SLICE_MS;

  /** @param check called after every pause, to throw if the work is no longer wanted */
  constructor(check: () => void = () => undefined) {
    this.check = check;
  }

  /** The slice is used up. Asking costs less than awaiting a pause that is not needed. */
  get isDue(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.check();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}

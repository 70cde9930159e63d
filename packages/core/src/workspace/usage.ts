/** What a hold is for: work that someone waits for, or a command that runs on in the background. */
export type HoldKind = 'work' | 'background';

/** Counts who uses a workspace, and remembers when it was used last. */
export class Usage {
  readonly #holds: Record<HoldKind, number> = { work: 0, background: 0 };
  #lastUsedAt = Date.now();
  #lastWorkAt = Date.now();

  get isInUse(): boolean {
    return this.#holds.work > 0 || this.#holds.background > 0;
  }

  /** Milliseconds since the epoch; now, while it is in use. */
  get lastUsedAt(): number {
    return this.isInUse ? Date.now() : this.#lastUsedAt;
  }

  /** As `lastUsedAt`, leaving out what merely runs in the background. */
  get lastWorkAt(): number {
    return this.#holds.work > 0 ? Date.now() : this.#lastWorkAt;
  }

  /** In use until it is disposed. Disposing twice counts once. */
  hold(kind: HoldKind = 'work'): Disposable {
    this.#holds[kind] += 1;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#holds[kind] -= 1;
        this.#lastUsedAt = Date.now();
        if (kind === 'work') this.#lastWorkAt = this.#lastUsedAt;
      },
    };
  }
}

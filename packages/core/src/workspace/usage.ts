/** Counts who uses a workspace, and remembers when it was used last. */
export class Usage {
  #holds = 0;
  #lastUsedAt = Date.now();

  get isInUse(): boolean {
    return this.#holds > 0;
  }

  /** Milliseconds since the epoch; now, while it is in use. */
  get lastUsedAt(): number {
    return this.isInUse ? Date.now() : this.#lastUsedAt;
  }

  /** In use until it is disposed. Disposing twice counts once. */
  hold(): Disposable {
    this.#holds += 1;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#holds -= 1;
        this.#lastUsedAt = Date.now();
      },
    };
  }
}

import type { Backend, BackgroundProcess } from '@agent-workspace/core';
import { type BackgroundReference, backgroundReference } from '@agent-workspace/gateway-protocol';

/**
 * The background commands that were started or listed here, whoever asked. A handle knows more than
 * the files that an agent can change.
 */
export class BackgroundHandles {
  readonly #backend: Backend;
  readonly #kept = new Map<string, BackgroundProcess>();
  /** The attachments that started them. */
  readonly #owners = new WeakMap<BackgroundProcess, string>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /**
   * @param owner the attachment that has just started it
   * @returns the one that did
   */
  remember(process: BackgroundProcess, owner?: string): string | undefined {
    const key = keyOf(backgroundReference(process));
    let kept = this.#kept.get(key);
    // A number is given out again when its record is gone; the time tells one from the next.
    if (kept?.startedAt !== process.startedAt) {
      kept = process;
      this.#kept.set(key, kept);
    }
    if (owner !== undefined) this.#owners.set(kept, owner);
    return this.#owners.get(kept);
  }

  async find(reference: BackgroundReference): Promise<BackgroundProcess | undefined> {
    const kept = this.#kept.get(keyOf(reference));
    if (kept !== undefined) return kept;
    const recorded = await this.#backend.listBackground({ recordDirectories: [reference.recordDirectory] });
    return recorded.find(({ number }) => number === reference.number);
  }

  /** Ends those that run, recorded as `closed`, and forgets them all. */
  async endAll(): Promise<void> {
    const processes = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(processes.map((process) => process.stop({ reason: 'closed' })));
  }
}

function keyOf({ recordDirectory, number }: BackgroundReference): string {
  return `${recordDirectory}/${number}`;
}

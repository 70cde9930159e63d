import { setTimeout as sleep } from 'node:timers/promises';
import type { Workspace, WorkspaceKey, WorkspaceLease } from '@agent-workspace/core';

/** The leases that are given out and not given back. */
export class OpenLeases {
  readonly #open = new Set<Promise<void>>();

  open<W extends Workspace>(workspace: W, { agentId, sessionId }: WorkspaceKey): WorkspaceLease<W> {
    const session = workspace.session({ agentId, sessionId });
    const hold = workspace.hold();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.add(promise);
    return {
      workspace,
      session,
      [Symbol.asyncDispose]: async () => {
        hold[Symbol.dispose]();
        this.#open.delete(promise);
        resolve();
      },
    };
  }

  /** Settles when all are given back, at the latest after that time. */
  async drain(timeoutMs: number): Promise<void> {
    const drained = new AbortController();
    const late = sleep(timeoutMs, undefined, { signal: drained.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#open), late]);
    drained.abort();
  }
}

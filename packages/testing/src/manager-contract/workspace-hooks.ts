import type { Workspace } from '@agent-workspace/core';

/** What a suite does at the turning points of the workspaces that a manager makes. */
export interface WorkspaceHooks {
  /** Before a workspace is made ready: while it waits, the build is slow; where it rejects, the build fails. */
  readonly onInitialize?:
    | ((workspace: Workspace, options: { readonly signal: AbortSignal }) => Promise<void>)
    | undefined;
  /** Before a workspace is closed, once. Where it rejects, closing fails when the workspace is closed. */
  readonly onClose?: ((workspace: Workspace) => Promise<void>) | undefined;
}

/** Puts hooks to a workspace that a manager has just made. */
export function hookWorkspace<W extends Workspace>(workspace: W, hooks: WorkspaceHooks = {}): W {
  const { onInitialize, onClose } = hooks;
  const initialize = workspace.initialize.bind(workspace);
  const close = workspace.close.bind(workspace);
  let closing: Promise<void> | undefined;
  return Object.assign(workspace, {
    initialize: async (options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> => {
      await onInitialize?.(workspace, { signal: options.signal ?? new AbortController().signal });
      await initialize(options);
    },
    close: async (): Promise<void> => {
      closing ??= closeAfter(onClose?.(workspace), close);
      await closing;
    },
  });
}

async function closeAfter(hook: Promise<void> | undefined, close: () => Promise<void>): Promise<void> {
  try {
    await hook;
  } finally {
    await close();
  }
}

/** Keeps whoever comes waiting until it is opened, or until they are told to give up. */
export class Gate {
  readonly #opened: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  #arrived = 0;

  /** How many have come. */
  get arrived(): number {
    return this.#arrived;
  }

  async pass(signal?: AbortSignal): Promise<void> {
    this.#arrived += 1;
    const given = Promise.withResolvers<never>();
    const giveUp = (): void => given.reject(signal?.reason);
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp);
    try {
      await Promise.race([this.#opened.promise, given.promise]);
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  open(): void {
    this.#opened.resolve();
  }
}

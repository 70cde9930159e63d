import { aroundBackend, type Backend, type BackendProcess, type BackgroundProcess } from '@agent-workspace/core';

export interface HoldingOptions {
  readonly hold: () => Disposable;
  /** For what runs on when its call is over. */
  readonly holdInBackground: () => Disposable;
  /** Settles when the sandbox is awake. */
  readonly wake: () => Promise<void>;
}

/** What is under way is in use, whoever began it: a sandbox must not fall asleep over it. */
export function holdingBackend(backend: Backend, { hold, holdInBackground, wake }: HoldingOptions): Backend {
  async function use<T>(work: () => Promise<T>): Promise<T> {
    using _hold = hold();
    await wake();
    return await work();
  }

  /** Holds on until `end` has what it was given. */
  async function useUntil<T>(
    work: () => Promise<T>,
    end: (result: T, release: () => void) => T,
    holdUntil: () => Disposable = hold,
  ): Promise<T> {
    const held = holdUntil();
    try {
      await wake();
      return end(await work(), () => held[Symbol.dispose]());
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  return {
    ...aroundBackend(backend, use),
    spawn: (...parameters) => useUntil(() => backend.spawn(...parameters), releaseAtEnd),
    startBackground: (...parameters) =>
      use(() => useUntil(() => backend.startBackground(...parameters), releaseWhenEnded, holdInBackground)),
    openRead: (...parameters) => useUntil(() => backend.openRead(...parameters), releaseWhenRead),
    close: () => use(() => backend.close()),
  };
}

function releaseAtEnd(process: BackendProcess, release: () => void): BackendProcess {
  process.end.then(release, release);
  return process;
}

function releaseWhenEnded(process: BackgroundProcess, release: () => void): BackgroundProcess {
  process.wait().then(release, release);
  return process;
}

function releaseWhenRead(stream: ReadableStream<Uint8Array>, release: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          release();
          controller.close();
        } catch (error) {
          release();
          throw error;
        }
      },
      async cancel(reason) {
        release();
        await reader.cancel(reason);
      },
    },
    // Nothing is read before it is asked for.
    { highWaterMark: 0 },
  );
}

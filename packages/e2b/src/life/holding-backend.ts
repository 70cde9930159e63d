import type { Backend, BackendProcess, BackgroundProcess } from '@agent-workspace/core';

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
    kind: backend.kind,
    workdir: backend.workdir,
    roots: backend.roots,
    capabilities: backend.capabilities,
    lockOwner: backend.lockOwner,
    exec: (...parameters) => use(() => backend.exec(...parameters)),
    spawn: (...parameters) => useUntil(() => backend.spawn(...parameters), releaseAtEnd),
    startBackground: (...parameters) =>
      use(() => useUntil(() => backend.startBackground(...parameters), releaseWhenEnded, holdInBackground)),
    listBackground: (...parameters) => use(() => backend.listBackground(...parameters)),
    readFile: (...parameters) => use(() => backend.readFile(...parameters)),
    openRead: (...parameters) => useUntil(() => backend.openRead(...parameters), releaseWhenRead),
    writeFile: (...parameters) => use(() => backend.writeFile(...parameters)),
    writeStream: (...parameters) => use(() => backend.writeStream(...parameters)),
    appendRecord: (...parameters) => use(() => backend.appendRecord(...parameters)),
    stat: (...parameters) => use(() => backend.stat(...parameters)),
    realPath: (...parameters) => use(() => backend.realPath(...parameters)),
    readDirectory: (...parameters) => use(() => backend.readDirectory(...parameters)),
    makeDirectory: (...parameters) => use(() => backend.makeDirectory(...parameters)),
    remove: (...parameters) => use(() => backend.remove(...parameters)),
    rename: (...parameters) => use(() => backend.rename(...parameters)),
    writeTree: (...parameters) => use(() => backend.writeTree(...parameters)),
    readTree: (...parameters) => use(() => backend.readTree(...parameters)),
    copyTree: (...parameters) => use(() => backend.copyTree(...parameters)),
    hashTree: (...parameters) => use(() => backend.hashTree(...parameters)),
    glob: (...parameters) => use(() => backend.glob(...parameters)),
    grep: (...parameters) => use(() => backend.grep(...parameters)),
    endProcesses: () => use(() => backend.endProcesses()),
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

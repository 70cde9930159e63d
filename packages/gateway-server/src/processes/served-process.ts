import type { Backend, BackendProcess, ProcessEnd } from '@agent-workspace/core';
import type { SpawnRequest } from '@agent-workspace/gateway-protocol';
import { Change, type UntilOptions } from '../async/change.ts';
import { OutputWindow } from './output-window.ts';
import { StdinFeed } from './stdin-feed.ts';

/** A process whose streams are served piece by piece. */
export class ServedProcess implements AsyncDisposable {
  readonly process: BackendProcess;
  readonly stdin: StdinFeed;
  readonly stdout: OutputWindow;
  readonly stderr: OutputWindow;
  readonly #abort: AbortController;
  readonly #change = new Change();
  #end: ProcessEnd | undefined;

  /** @throws `exec-failed` */
  static async start(backend: Backend, { argv, ...options }: SpawnRequest): Promise<ServedProcess> {
    const abort = new AbortController();
    return new ServedProcess(await backend.spawn(argv, { ...options, signal: abort.signal }), abort);
  }

  private constructor(process: BackendProcess, abort: AbortController) {
    this.process = process;
    this.#abort = abort;
    this.stdin = new StdinFeed(process.stdin, `the stdin of process ${process.pid}`);
    this.stdout = new OutputWindow(process.stdout);
    this.stderr = new OutputWindow(process.stderr);
    void process.end.then((end) => {
      this.#end = end;
      this.#change.notify();
    });
  }

  /** How it ended, if it has. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** How it ended, if it does so in time. */
  async endWithin(options: UntilOptions): Promise<ProcessEnd | undefined> {
    await this.#change.until(() => this.#end !== undefined, options);
    return this.#end;
  }

  /** Begins to end the tree: what it writes until then can be read. */
  abort(): void {
    this.#abort.abort();
  }

  /** Ends the tree and closes its streams. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

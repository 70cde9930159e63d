import { randomUUID } from 'node:crypto';
import {
  type Backend,
  GatewayResourceNotFoundError,
  OperationAbortedError,
  type ProcessEnd,
} from '@agent-workspace/core';
import type { GatewayEvent, SpawnAnswer, SpawnRequest } from '@agent-workspace/gateway-protocol';
import { ServedProcess } from './served-process.ts';

export interface ProcessRegistryOptions {
  readonly backend: Backend;
  readonly emit: (event: GatewayEvent) => void;
}

/** The processes that one attachment has spawned. */
export class ProcessRegistry {
  readonly #options: ProcessRegistryOptions;
  readonly #processes = new Map<string, ServedProcess>();
  #isClosed = false;

  constructor(options: ProcessRegistryOptions) {
    this.#options = options;
  }

  /** @throws `exec-failed`, `operation-aborted` if nobody waits for it any more */
  async spawn(request: SpawnRequest, signal: AbortSignal): Promise<SpawnAnswer> {
    const { backend, emit } = this.#options;
    const served = await ServedProcess.start(backend, request);
    if (signal.aborted || this.#isClosed) {
      await served[Symbol.asyncDispose]();
      throw new OperationAbortedError({ operation: `The start of ${request.argv[0]}` }, { cause: signal.reason });
    }
    const id = randomUUID();
    this.#processes.set(id, served);
    const { pid, processGroup, end } = served.process;
    void end.then((value) => emit({ type: 'process-ended', id, end: value }));
    return { id, pid, processGroup };
  }

  /** @throws `gateway-resource-not-found` */
  get(id: string): ServedProcess {
    const served = this.#processes.get(id);
    if (served === undefined) throw new GatewayResourceNotFoundError({ resource: `process ${id}` });
    return served;
  }

  /**
   * Forgets the process, and ends its tree if it runs: what one that ended by itself has left behind
   * lives on. One that is not there is no error.
   */
  async remove(id: string): Promise<ProcessEnd | undefined> {
    const served = this.#processes.get(id);
    this.#processes.delete(id);
    if (served !== undefined && served.end === undefined) await served[Symbol.asyncDispose]();
    return served?.process.end;
  }

  /** Ends all of them; what they had written can still be read. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((served) => served[Symbol.asyncDispose]()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.endAll();
    this.#processes.clear();
  }
}

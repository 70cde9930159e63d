import { afterMs } from '../after-ms.ts';
import { ConnectError } from '../connect/connect-error.ts';
import type { EndEvent } from './exit-status.ts';
import type { RunningProcess } from './running-process.ts';
import type { ProcessSelector } from './requests.ts';

/** How long somebody may still ask how a process has ended. */
const RETENTION_MS = 30_000;

export interface EndedProcess {
  readonly pid: number;
  readonly tag: string | undefined;
  readonly end: EndEvent;
}

function refuse({ pid, tag }: ProcessSelector): never {
  if (pid !== undefined) throw new ConnectError('not_found', `process with pid ${pid} not found`);
  if (tag !== undefined) throw new ConnectError('not_found', `process with tag ${tag} not found`);
  throw new ConnectError('unimplemented', 'invalid input type *process.ProcessSelector');
}

/** The processes that run, and for a while the ends of those that did. */
export class ProcessTable {
  readonly #running = new Map<number, RunningProcess>();
  readonly #ended = new Map<number, EndedProcess>();
  readonly #retentionMs: number;

  constructor(retentionMs: number = RETENTION_MS) {
    this.#retentionMs = retentionMs;
  }

  get running(): readonly RunningProcess[] {
    return [...this.#running.values()];
  }

  add(process: RunningProcess): void {
    const { pid, tag } = process;
    this.#running.set(pid, process);
    this.#ended.delete(pid);
    void process.ended.then((end) => {
      // Another one may have the number by now.
      if (this.#running.get(pid) !== process) return;
      this.#running.delete(pid);
      this.#retain({ pid, tag, end });
    });
  }

  /** @throws ConnectError `not_found`, or `unimplemented` if the selector names nothing. */
  find(selector: ProcessSelector): RunningProcess {
    return this.#findRunning(selector) ?? refuse(selector);
  }

  /** The same, or else the end of a process that no longer runs. */
  findWithEnded(selector: ProcessSelector): RunningProcess | EndedProcess {
    return this.#findRunning(selector) ?? this.#findEnded(selector) ?? refuse(selector);
  }

  #findRunning({ pid, tag }: ProcessSelector): RunningProcess | undefined {
    if (pid !== undefined) return this.#running.get(pid);
    return tag === undefined ? undefined : this.running.find((process) => process.tag === tag);
  }

  #findEnded({ pid, tag }: ProcessSelector): EndedProcess | undefined {
    if (pid !== undefined) return this.#ended.get(pid);
    return tag === undefined ? undefined : [...this.#ended.values()].findLast((ended) => ended.tag === tag);
  }

  #retain(ended: EndedProcess): void {
    this.#ended.set(ended.pid, ended);
    afterMs(this.#retentionMs, () => {
      if (this.#ended.get(ended.pid) === ended) this.#ended.delete(ended.pid);
    });
  }
}

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BackgroundProcess,
  type BackgroundState,
  type Logger,
  ProcessTree,
  readProcess,
} from '@agent-workspace/core';
import { isErrno } from '../../files/translate-error.ts';
import { machineId } from '../machine.ts';
import { readText } from './read-text.ts';
import type { BackgroundRecord, RecordPaths } from './record.ts';
import { parseStatus } from './status.ts';

const MAX_STATUS_BYTES = 256;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;
/** How long the runner may take to write the status of a command that has ended. */
const RUNNER_DEADLINE_MS = 2_000;

interface BackgroundProcessOptions {
  readonly record: BackgroundRecord;
  readonly paths: RecordPaths;
  readonly logger: Logger;
}

async function isAlive(pid: number, startTime: string): Promise<boolean> {
  const found = await readProcess(pid);
  return found !== undefined && !found.isZombie && found.startTime === startTime;
}

/** A background command of this machine: all that is known of it is in its files and in the table of processes. */
export class LocalBackgroundProcess implements BackgroundProcess {
  readonly number: number;
  readonly label: string;
  readonly pid: number;
  readonly processGroup: number;
  readonly startedAt: string;
  readonly owner: string | undefined;
  readonly logPath: string;
  readonly statusPath: string;
  readonly #record: BackgroundRecord;
  readonly #paths: RecordPaths;
  readonly #logger: Logger;
  /** The command's. */
  readonly #tree: ProcessTree;
  /** The runner's, with the watch it keeps on the time. */
  readonly #runnerTree: ProcessTree;

  constructor({ record, paths, logger }: BackgroundProcessOptions) {
    this.#record = record;
    this.#paths = paths;
    this.#logger = logger;
    this.number = record.number;
    this.label = record.label;
    this.pid = record.pid;
    this.processGroup = record.processGroup;
    this.startedAt = record.startedAt;
    this.owner = record.owner === '' ? undefined : record.owner;
    this.logPath = paths.log;
    this.statusPath = paths.status;
    this.#tree = new ProcessTree({
      group: record.processGroup,
      isLeader: ({ startTime }) => startTime === record.startTime,
      logger,
    });
    this.#runnerTree = new ProcessTree({
      group: record.runnerPid,
      isLeader: ({ startTime }) => startTime === record.runnerStartTime,
      logger,
    });
  }

  async state(): Promise<BackgroundState> {
    return this.#readState(this.#paths.status) ?? ((await this.#isRunning()) ? { kind: 'running' } : this.#endState());
  }

  async stop({ reason }: { readonly reason?: 'closed' | undefined } = {}): Promise<BackgroundState> {
    const state = await this.state();
    if (state.kind !== 'running') {
      // What an ended command left behind lives on until the workspace closes.
      if (reason === 'closed' && this.#hasGroup()) await this.#tree.end();
      return state;
    }
    if (reason === 'closed') await this.#writeCause('closed');
    await this.#tree.end();
    await this.#awaitRunner();
    return this.state();
  }

  async wait({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<BackgroundState> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      signal?.throwIfAborted();
      const state = await this.state();
      if (state.kind !== 'running') return state;
      await sleep(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  get #isOfThisMachine(): boolean {
    return this.#record.machine === (machineId() ?? '');
  }

  async #isRunning(): Promise<boolean> {
    const { pid, startTime, runnerPid, runnerStartTime } = this.#record;
    if (!this.#isOfThisMachine) return false;
    if ((await isAlive(runnerPid, runnerStartTime)) || (await isAlive(pid, startTime))) return true;
    return (await this.#tree.members()).length > 0;
  }

  /** The state of a command that runs no more: the runner wrote it in this moment, or it was killed. */
  #endState(): BackgroundState {
    return this.#readState(this.#paths.status) ?? this.#readState(this.#paths.cause) ?? { kind: 'lost' };
  }

  #readState(path: string): BackgroundState | undefined {
    try {
      const text = readText(path, MAX_STATUS_BYTES);
      return text === undefined ? undefined : parseStatus(text);
    } catch (error) {
      // The agent can put anything there; that must not keep a process from being ended.
      this.#logger.warn(`Could not read ${path}.`, { error });
      return undefined;
    }
  }

  #hasGroup(): boolean {
    if (!this.#isOfThisMachine) return false;
    try {
      process.kill(-this.processGroup, 0);
      return true;
    } catch (error) {
      return !isErrno(error, 'ESRCH');
    }
  }

  /** The first cause is the one that is told; whole from the first moment, since others may stop it meanwhile. */
  async #writeCause(cause: 'closed'): Promise<void> {
    const { cause: path } = this.#paths;
    const part = `${path}.${randomUUID()}`;
    try {
      if (existsSync(path)) return;
      await writeFile(part, `${cause}\n`, { flag: 'wx' });
      await rename(part, path);
    } catch (error) {
      this.#logger.warn(`Could not write ${path}.`, { error });
    }
  }

  async #awaitRunner(): Promise<void> {
    const { runnerPid, runnerStartTime } = this.#record;
    const deadline = performance.now() + RUNNER_DEADLINE_MS;
    for (let pauseMs = 1; performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      if (!(await isAlive(runnerPid, runnerStartTime))) break;
      await sleep(pauseMs);
    }
    // A runner that was killed leaves its watch behind, one that was stopped stays itself.
    await this.#runnerTree.end();
  }
}

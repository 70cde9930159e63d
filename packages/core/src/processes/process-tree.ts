import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessSignal } from '../backend/process.ts';
import type { Logger } from '../events/logger.ts';
import { type ProcessInfo, readProcessTable } from './process-table.ts';

const DEFAULT_GRACE_MS = 2_000;
/** A process that the system does not let go of (one that waits for a dead disk) is given up after this. */
const KILL_DEADLINE_MS = 5_000;
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 50;

export interface ProcessTreeOptions {
  /** Process group that was made for the program; also the leader's pid, and the session where the system has one. */
  readonly group: number;
  /** Whether a process with the leader's pid is the leader, and not a later one that was given its number. */
  readonly isLeader: (process: ProcessInfo) => boolean;
  readonly logger: Logger;
}

/**
 * The processes that come from one program: its group and session, and every descendant, also one
 * that moved to a group of its own. A descendant once seen is remembered, since the link to its
 * parent is lost when that ends.
 */
export class ProcessTree {
  readonly #group: number;
  readonly #isLeader: (process: ProcessInfo) => boolean;
  readonly #logger: Logger;
  readonly #groups: Set<number>;
  /** Start times by pid. */
  readonly #seen = new Map<number, string>();
  #isBlind = false;

  constructor({ group, isLeader, logger }: ProcessTreeOptions) {
    this.#group = group;
    this.#isLeader = isLeader;
    this.#logger = logger;
    this.#groups = new Set([group]);
  }

  /** Those that run now. A look before the leader ends is what lets its strays be told after that. */
  async members(): Promise<readonly ProcessInfo[]> {
    const all = await readProcessTable();
    if (all.length === 0) return this.#groupAsMember();
    const table = all.filter(({ pid, isZombie }) => !isZombie && pid > 1 && pid !== process.pid);
    // A number is given out again only when no group and no session bears it any more.
    if (table.some((each) => each.pid === this.#group && !this.#isLeader(each))) this.#groups.delete(this.#group);
    const children = Map.groupBy(table, ({ parent }) => parent);
    const members = new Map<number, ProcessInfo>();
    const pending = table.filter((each) => this.#isKnown(each));
    for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
      if (members.has(each.pid)) continue;
      members.set(each.pid, each);
      this.#seen.set(each.pid, each.startTime);
      if (each.pid === each.group || each.pid === each.session) this.#groups.add(each.pid);
      pending.push(...(children.get(each.pid) ?? []));
    }
    return [...members.values()];
  }

  /** Sends a signal to all of them. */
  async signal(signal: ProcessSignal): Promise<void> {
    const members = await this.members();
    // One call for the whole group reaches also what is being forked at this moment.
    const group = this.#groups.has(this.#group) ? this.#group : undefined;
    if (members.some((each) => each.group === group)) this.#kill(-this.#group, signal);
    for (const each of members) {
      if (each.group !== group) this.#kill(each.pid, signal);
    }
  }

  /**
   * SIGTERM, the grace, SIGKILL; returns as soon as all are gone, `false` if some would not go.
   * The grace is two seconds by default.
   */
  async end({ graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number | undefined } = {}): Promise<boolean> {
    await this.signal('SIGTERM');
    if (await this.#isGoneWithin(graceMs)) return true;
    const deadline = performance.now() + KILL_DEADLINE_MS;
    while (performance.now() < deadline) {
      await this.signal('SIGKILL');
      if (await this.#isGoneWithin(MAX_PAUSE_MS)) return true;
    }
    const pids = (await this.members()).map(({ pid }) => pid);
    this.#logger.warn(`Processes of group ${this.#group} did not end on SIGKILL.`, { pids });
    return false;
  }

  /** Where there is no table to be had: its group, if that is there, stands for all of them. */
  #groupAsMember(): readonly ProcessInfo[] {
    const group = this.#group;
    if (!this.#isBlind) this.#logger.warn(`Cannot read the table of processes: only group ${group} can be ended.`);
    this.#isBlind = true;
    const leader = { pid: group, parent: 0, group, session: 0, startTime: '', isZombie: false };
    // Once seen it is not asked again: a leader that has gone may have left something in its group.
    const isOurs = this.#groups.has(group) && (this.#seen.size > 0 || this.#isLeader(leader));
    if (!isOurs || !this.#kill(-group, 0)) return [];
    this.#seen.set(leader.pid, leader.startTime);
    return [leader];
  }

  #isKnown({ pid, group, session, startTime }: ProcessInfo): boolean {
    return this.#groups.has(group) || this.#groups.has(session) || this.#seen.get(pid) === startTime;
  }

  async #isGoneWithin(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      if ((await this.members()).length === 0) return true;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      await sleep(Math.min(pauseMs, leftMs));
    }
  }

  /** Whether there was somebody to send it to; 0 only asks that. */
  #kill(target: number, signal: ProcessSignal | 0): boolean {
    try {
      return process.kill(target, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      if (signal !== 0) this.#logger.warn(`Could not send ${signal} to process ${target}.`, { error });
      return true;
    }
  }
}

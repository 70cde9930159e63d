import { setTimeout as pause } from 'node:timers/promises';
import { type ProcessEntry, readProcessTable } from './process-table.ts';

const FIRST_POLL_MS = 10;
const LONGEST_POLL_MS = 100;
/** For the kernel to take away what was killed. */
const KILL_WAIT_MS = 2000;

/** Leaders of groups that have not been ended, for a host that exits without closing. */
const running = new Set<number>();

function killRunning(): void {
  for (const leader of running) sendSignal(-leader, 'SIGKILL');
}

/** Whether there was something to send it to. */
function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * A process that leads its own group, and all that came from it. Its group is signalled as one;
 * on Linux those that left the group are found by parent and session while that can be told.
 */
export class ProcessTree {
  readonly #leader: number;
  /** pid and start of those outside of the group. */
  readonly #strays = new Map<number, string>();

  constructor(leader: number) {
    this.#leader = leader;
    if (running.size === 0) process.once('exit', killRunning);
    running.add(leader);
  }

  /** Ends every process of the tree: SIGTERM, `graceMs` for them to go, SIGKILL. */
  async end(graceMs: number): Promise<void> {
    await this.findStrays();
    this.#signal('SIGTERM');
    if (!(await this.#isGoneWithin(graceMs))) {
      await this.findStrays();
      this.#signal('SIGKILL');
      await this.#isGoneWithin(KILL_WAIT_MS);
    }
    running.delete(this.#leader);
    if (running.size === 0) process.removeListener('exit', killRunning);
  }

  /** Takes note of descendants outside of the group, which are not to be told once their parent has gone. */
  async findStrays(): Promise<void> {
    const table = await readProcessTable();
    if (!table) return;
    const family = new Set(this.#strays.keys());
    let sizeBefore: number;
    do {
      sizeBefore = family.size;
      for (const entry of table) if (this.#isMember(entry) || family.has(entry.parent)) family.add(entry.pid);
    } while (family.size > sizeBefore);
    for (const entry of table) {
      if (family.has(entry.pid) && entry.group !== this.#leader) this.#strays.set(entry.pid, entry.startedAt);
    }
  }

  #isMember(entry: ProcessEntry): boolean {
    return entry.group === this.#leader || entry.session === this.#leader;
  }

  #signal(signal: NodeJS.Signals): void {
    sendSignal(-this.#leader, signal);
    for (const pid of this.#strays.keys()) sendSignal(pid, signal);
  }

  async #isGoneWithin(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (let waitMs = FIRST_POLL_MS; await this.#isAlive(); waitMs = Math.min(waitMs * 2, LONGEST_POLL_MS)) {
      if (performance.now() >= deadline) return false;
      await pause(waitMs);
    }
    return true;
  }

  async #isAlive(): Promise<boolean> {
    const hasGroup = sendSignal(-this.#leader, 0);
    if (!hasGroup && this.#strays.size === 0) return false;
    const table = await readProcessTable();
    if (!table) return hasGroup;
    const living = table.filter(({ isZombie }) => !isZombie);
    for (const [pid, startedAt] of this.#strays) {
      if (!living.some((entry) => entry.pid === pid && entry.startedAt === startedAt)) this.#strays.delete(pid);
    }
    return this.#strays.size > 0 || living.some(({ group }) => group === this.#leader);
  }
}

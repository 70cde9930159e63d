import { lstat, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Logger, removeTree } from '@agent-workspace/core';
import { isRunning } from '../processes/is-running.ts';
import { ownerOf, temporaryOwner, UNKNOWN } from './temporary-name.ts';

/** Of what may be the work of a process that cannot be looked up from here. */
const MAX_AGE_MS = 60 * 60 * 1000;
/** Directories that are remembered; one that is forgotten is listed once more. */
const MAX_VISITED = 10_000;

/**
 * Removes the temporary files and directories of processes that were killed, in each directory that
 * is written into, after the first write. No one waits for it, and no write fails by it.
 */
export class TemporarySweeper {
  readonly #logger: Logger;
  readonly #visited = new Set<string>();
  readonly #sweeps = new Set<Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** To be called when a write is done. @param directory its real path */
  visit(directory: string): void {
    if (this.#visited.has(directory)) return;
    for (const oldest of this.#visited) {
      if (this.#visited.size < MAX_VISITED) break;
      this.#visited.delete(oldest);
    }
    this.#visited.add(directory);
    const sweep = this.#sweep(directory).finally(() => this.#sweeps.delete(sweep));
    this.#sweeps.add(sweep);
  }

  /** Returns when nothing is being removed any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#sweeps);
  }

  async #sweep(directory: string): Promise<void> {
    // Whoever waits for the write goes first.
    await setImmediate();
    try {
      for (const name of await readdir(directory)) await this.#removeIfAbandoned(posix.join(directory, name));
    } catch (error) {
      this.#logger.debug('A directory was not searched for what killed processes left behind.', { directory, error });
    }
  }

  async #removeIfAbandoned(path: string): Promise<void> {
    try {
      if (!(await isAbandoned(path))) return;
      await removeTree(path);
      this.#logger.debug('Removed what a killed process left behind.', { path });
    } catch (error) {
      this.#logger.debug('What a killed process left behind was not removed.', { path, error });
    }
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const owner = ownerOf(posix.basename(path));
  if (owner === undefined) return false;
  const { uid, mtimeMs } = await lstat(path);
  // In a directory that is not ours alone, someone else can exchange what is theirs while it is removed.
  if (uid !== (process.geteuid?.() ?? uid)) return false;
  const isOld = Date.now() - mtimeMs > MAX_AGE_MS;
  if (owner.machine === UNKNOWN) return isOld && !isRunning(owner.pid);
  if (owner.machine !== temporaryOwner().machine) return isOld;
  return !isRunning(owner.pid, owner.startTime);
}

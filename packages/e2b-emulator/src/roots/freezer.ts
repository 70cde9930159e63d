import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FROZEN_DEADLINE_MS = 10_000;
const POLL_MS = 2;

/** A control group of the second version: freezes, and ends, whatever is in it. */
export class Freezer {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** @returns `undefined` where this process may not make one */
  static async create(name: string): Promise<Freezer | undefined> {
    const mount = await findHierarchy();
    if (mount === undefined) return undefined;
    const path = join(mount, name);
    try {
      await mkdir(path);
      await writeFile(join(path, 'cgroup.freeze'), '0');
      return new Freezer(path);
    } catch {
      return undefined;
    }
  }

  static at(path: string): Freezer {
    return new Freezer(path);
  }

  async freeze(): Promise<void> {
    await writeFile(join(this.path, 'cgroup.freeze'), '1');
    await this.#waitForEvent('frozen 1');
  }

  async thaw(): Promise<void> {
    await writeFile(join(this.path, 'cgroup.freeze'), '0');
    await this.#waitForEvent('frozen 0');
  }

  /** Ends what is in it, frozen or not, and removes it. One that is not there is fine. */
  async remove(): Promise<void> {
    try {
      for (const pid of await this.#members()) kill(pid);
      await writeFile(join(this.path, 'cgroup.freeze'), '0');
      await this.#waitForEvent('populated 0', async () => {
        for (const pid of await this.#members()) kill(pid);
      });
      await rmdir(this.path);
    } catch (error) {
      if (!['ENOENT', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  async #members(): Promise<readonly number[]> {
    const text = await readFile(join(this.path, 'cgroup.procs'), 'utf8');
    return text.split('\n').filter(Boolean).map(Number);
  }

  async #waitForEvent(line: string, meanwhile?: () => Promise<void>): Promise<void> {
    const deadline = Date.now() + FROZEN_DEADLINE_MS;
    for (;;) {
      const events = await readFile(join(this.path, 'cgroup.events'), 'utf8');
      if (events.split('\n').includes(line)) return;
      if (Date.now() > deadline) throw new Error(`The control group ${this.path} did not get to "${line}" in time.`);
      await meanwhile?.();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

/** Where control groups of the second version are mounted. */
export async function findHierarchy(): Promise<string | undefined> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, , type]) => type === 'cgroup2')?.[1];
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

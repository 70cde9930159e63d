import { readdir, readFile } from 'node:fs/promises';

/** Each round finds what was started during the one before. */
const MAX_ROUNDS = 10;

/** @returns whether there was something to end. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Ends a process and all that stayed in its group. */
export function killGroup(pid: number): void {
  kill(-pid);
}

/**
 * Ends all processes that were started with this variable, wherever they have gone since: what a command
 * leaves behind in the background is nobody's child any more.
 *
 * @param variable `NAME=value`, of this sandbox alone.
 */
export async function killMarked(variable: string): Promise<void> {
  // Only Linux tells with what a process was started.
  if (process.platform !== 'linux') return;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let count = 0;
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
      // It may have ended, or be somebody else's.
      const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
      if (environment.split('\0').includes(variable) && kill(Number(name))) count += 1;
    }
    if (count === 0) return;
  }
}

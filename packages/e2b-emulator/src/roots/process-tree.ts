import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

type TreeSignal = 'SIGSTOP' | 'SIGCONT' | 'SIGKILL';

/**
 * Sends a signal to all processes of a sandbox: the descendants of its envd, and those whose parents
 * have gone, known by the sandbox's id in their environment.
 */
export async function signalSandbox(sandboxId: string, envdPid: number | undefined, signal: TreeSignal): Promise<void> {
  await signalAll(signal, () => findProcesses([sandboxId], envdPid));
}

/** Kills what is left of sandboxes whose envds have gone. */
export async function killSandboxes(sandboxIds: readonly string[]): Promise<void> {
  if (sandboxIds.length > 0) await signalAll('SIGKILL', () => findProcesses(sandboxIds, undefined));
}

/** New ones may be born meanwhile, so it looks again until it has found them all. */
async function signalAll(signal: TreeSignal, find: () => Promise<readonly number[]>): Promise<void> {
  const done = new Set<number>();
  for (;;) {
    const found = await find();
    const fresh = found.filter((pid) => !done.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      done.add(pid);
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }
}

async function findProcesses(sandboxIds: readonly string[], envdPid: number | undefined): Promise<readonly number[]> {
  const parents = await readParents();
  const members = new Set(envdPid !== undefined && parents.has(envdPid) ? [envdPid] : []);
  const marked = process.platform === 'linux' ? await findMarked(sandboxIds, parents.keys()) : [];
  for (const pid of marked) members.add(pid);
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const [pid, parent] of parents) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

/** Every process of the machine with its parent, zombies apart. */
async function readParents(): Promise<ReadonlyMap<number, number>> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  const parents = new Map<number, number>();
  for (const line of stdout.split('\n')) {
    const [pid, parent, state] = line.trim().split(/\s+/);
    if (state !== undefined && !state.startsWith('Z')) parents.set(Number(pid), Number(parent));
  }
  return parents;
}

async function findMarked(sandboxIds: readonly string[], pids: Iterable<number>): Promise<readonly number[]> {
  const markers = sandboxIds.map((sandboxId) => `E2B_SANDBOX_ID=${sandboxId}\0`);
  const found = await Promise.all(
    [...pids].map(async (pid) => {
      try {
        const environment = `${await readFile(`/proc/${pid}/environ`, 'latin1')}\0`;
        return markers.some((marker) => environment.includes(marker)) ? [pid] : [];
      } catch {
        // Gone meanwhile, or another user's: none of ours.
        return [];
      }
    }),
  );
  return found.flat();
}

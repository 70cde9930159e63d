import { readFile } from 'node:fs/promises';

/**
 * Names a process for as long as the machine runs: its pid, and when it was started, since pids come
 * again. Where the kernel does not tell, the pid has to do.
 */
export async function ownName(): Promise<string> {
  return `${process.pid}.${(await startTicks(process.pid)) ?? 0}`;
}

/** Whether the process of that name still runs. What is no such name belongs to nobody who could be alive. */
export async function isOwnerAlive(owner: string): Promise<boolean> {
  const match = /^(\d+)\.(\d+)$/.exec(owner);
  if (match === null) return false;
  const pid = Number(match[1]);
  const ticks = await startTicks(pid);
  if (ticks !== undefined) return ticks === Number(match[2]);
  return process.platform !== 'linux' && isPidTaken(pid);
}

function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of `/proc/<pid>/stat`; the second one may hold spaces and parentheses. */
async function startTicks(pid: number): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}

import { readdir, readFile } from 'node:fs/promises';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot: with the pid, it tells a process from a later one of the same number. */
  readonly startedAt: string;
  /** It has ended, and only waits to be reaped. */
  readonly isZombie: boolean;
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function parseStat(stat: string): ProcessEntry | undefined {
  // The name is in parentheses and may hold anything, a closing one included.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startedAt = fields[19];
  if (startedAt === undefined) return undefined;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt,
    isZombie: state === 'Z' || state === 'X',
  };
}

/** All processes, as Linux lists them; `undefined` where there is no `/proc`. */
export async function readProcessTable(): Promise<readonly ProcessEntry[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const names = await readdir('/proc').catch(() => undefined);
  if (!names) return undefined;
  const pids = names.filter((name) => /^\d+$/.test(name));
  // A process that ends meanwhile takes its file along.
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.map(parseStat).filter((entry) => entry !== undefined);
}

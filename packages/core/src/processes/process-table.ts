import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** One process of this machine, as far as a tree of processes and its identity need it. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 where the system does not tell. */
  readonly session: number;
  /** With the pid it names one process for good: a pid alone is given out again. */
  readonly startTime: string;
  /** It has ended and waits for its parent to take note. */
  readonly isZombie: boolean;
}

const PS_COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=';
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/;

let procFileSystem: boolean | undefined;

function hasProcFileSystem(): boolean {
  procFileSystem ??= existsSync('/proc/self/stat');
  return procFileSystem;
}

/**
 * A line of `/proc/PID/stat`.
 *
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function parseProcStat(line: string): ProcessInfo | undefined {
  // The second field is the program's name in parentheses, with any bytes in it, parentheses too.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return undefined;
  return {
    pid: Number.parseInt(line, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime,
    isZombie: state === 'Z' || state === 'X',
  };
}

/** A line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`, for systems without `/proc`. */
export function parsePsLine(line: string): ProcessInfo | undefined {
  const match = PS_LINE.exec(line);
  if (match === null) return undefined;
  const [, pid, parent, group, state = '', startTime = ''] = match;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    startTime: startTime.replaceAll(/\s+/g, ' '),
    isZombie: state.startsWith('Z'),
  };
}

function readProcStat(pid: number | string): ProcessInfo | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // It has ended since the directory was listed.
    return undefined;
  }
}

async function runPs(selection: readonly string[]): Promise<ProcessInfo[]> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    // `ps -p` exits with 1 when there is no such process, which is an answer.
    // The start time is a date in words: the same ones for whoever asks.
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    execFile('ps', [...selection, '-o', PS_COLUMNS], { env }, (_error, stdout) => {
      resolve(stdout.split('\n').flatMap((line) => parsePsLine(line) ?? []));
    });
  });
}

function readProcTable(): ProcessInfo[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcStat(name) ?? []) : []));
  } catch {
    // This process has no descriptor left, for example.
    return [];
  }
}

/**
 * Every process that this one can see; itself among them, so an empty table is one that could not be read.
 *
 * On Linux it is read in one synchronous go (about 10 µs a process), so that the table is as close
 * to one moment as it can be.
 */
export async function readProcessTable(): Promise<readonly ProcessInfo[]> {
  return hasProcFileSystem() ? readProcTable() : runPs(['-A']);
}

/** As `readProcess`, at once; `undefined` also where that takes a program. */
export function readProcessNow(pid: number): ProcessInfo | undefined {
  return hasProcFileSystem() ? readProcStat(pid) : undefined;
}

/** One process, `undefined` if there is none of that pid. */
export async function readProcess(pid: number): Promise<ProcessInfo | undefined> {
  if (hasProcFileSystem()) return readProcStat(pid);
  return (await runPs(['-p', String(pid)]))[0];
}

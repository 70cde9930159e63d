import { readdir, readFile } from 'node:fs/promises';
import { type CommandOutput, runCommand } from '../run-command.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { searchPath } from './search-path.ts';
import { waitUntil } from './wait-until.ts';

/** In the environment of every process of a cluster, and of its build; its value is the cluster's folder. */
const MARK = 'AGENT_WORKSPACE_CLUSTER';

export interface MarkedProcess {
  readonly pid: number;
  /** Its program and arguments. */
  readonly argv: readonly string[];
  /** Its process id in each process namespace that it is in, from the host's inwards. */
  readonly namespacePids: readonly number[];
}

const mark = (directory: string): Record<string, string> => ({ PATH: searchPath(), [MARK]: directory });

/** This process's environment with the mark of a cluster. */
export function markedEnvironment({ directory }: ClusterFolder): NodeJS.ProcessEnv {
  return { ...process.env, ...mark(directory) };
}

/** Runs a command to its end. Should this process end before, the command is one of those that `down` ends. */
export function runMarked({ directory }: ClusterFolder, argv: readonly string[], cwd = '/'): Promise<CommandOutput> {
  return runCommand(argv, { cwd, env: mark(directory) });
}

/**
 * The processes of the cluster in a folder. A list of process ids on disk would miss those that were started
 * right before a crash, and may name somebody else's. One that is becoming another program right now is not seen.
 */
export async function findMarkedProcesses({ directory }: ClusterFolder): Promise<readonly MarkedProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => readMarkedProcess(pid, directory)));
  return found.filter((entry) => entry !== undefined);
}

async function readMarkedProcess(pid: number, directory: string): Promise<MarkedProcess | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    if (pid === process.pid || !environment.split('\0').includes(`${MARK}=${directory}`)) return undefined;
    const [commandLine, status] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ]);
    return { pid, argv: commandLine.split('\0').slice(0, -1), namespacePids: parseNamespacePids(status) };
  } catch {
    // Ended meanwhile, or not ours to look into.
    return undefined;
  }
}

/** From `/proc/PID/status`. */
export function parseNamespacePids(status: string): readonly number[] {
  const line = /^NSpid:\s*(.*)$/m.exec(status)?.[1] ?? '';
  return line.split(/\s+/).filter(Boolean).map(Number);
}

/** Ends all processes of a cluster at once, and returns when none is left. */
export async function killMarkedProcesses(folder: ClusterFolder): Promise<void> {
  // One that is ending has no environment any more, and so no mark.
  const seen = new Set<number>();
  let emptyLooks = 0;
  await waitUntil(`all processes of the cluster in ${folder.directory} have ended`, 30_000, async () => {
    const marked = await findMarkedProcesses(folder);
    // The first process of the namespace takes all others with it, those in containers included.
    for (const { pid } of marked.toSorted((a, b) => Number(isInit(b)) - Number(isInit(a)))) {
      seen.add(pid);
      kill(pid);
    }
    const ended = await Promise.all([...seen].map(hasEnded));
    emptyLooks = marked.length === 0 ? emptyLooks + 1 : 0;
    return emptyLooks > 1 && ended.every(Boolean);
  });
}

/** Whether it is the first process of the cluster's own namespace. */
export function isInit({ namespacePids }: MarkedProcess): boolean {
  return namespacePids.length > 1 && namespacePids.at(-1) === 1;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A zombie has ended, even if nobody has taken note of it. */
export async function hasEnded(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}

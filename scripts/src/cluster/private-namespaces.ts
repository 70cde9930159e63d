import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { ClusterFolder } from './cluster-folder.ts';
import { findMarkedProcesses, isInit, type MarkedProcess, markedEnvironment } from './marked-processes.ts';
import { NotRunningError } from './not-running-error.ts';
import { lastLines } from './part-log.ts';
import { waitUntil } from './wait-until.ts';

const START_TIMEOUT_MS = 30_000;

/**
 * Folders of the host that a cluster has its own of: its parts write to fixed paths below them
 * (`/var/lib/kubelet`, `/var/log/containers`, `/var/lib/cni`, `/run/containerd`, `/tmp/hostpath_pv`), some
 * of which a container engine of the host has, too.
 */
const PRIVATE_DIRECTORIES: readonly string[] = ['/run', '/tmp', '/var/lib', '/var/log'];

/**
 * Runs in the new namespaces as their first process. The cluster's own folder, $1, may be below one of
 * those that are covered: it is opened before, reached by that, and put back after. What the host
 * unmounts is unmounted here, too, so that nothing of it is kept in use; mounts that are made here are seen by
 * the cluster's processes and containers alone.
 */
const SET_UP = `
set -e
folder=$1 private=$2 init=$3
shift 3
exec 3<"$folder"
bind() { mount --no-canonicalize --bind "/proc/self/fd/3/$1" "$2"; }
mount --make-rshared /
for covered; do bind "$private$covered" "$covered"; done
mkdir -p "$folder"
bind . "$folder"
exec 3<&-
echo ready
exec "$init" >/dev/null
`;

/**
 * Makes the namespaces that a cluster lives in, one of processes and one of mounts. When their first
 * process ends, whatever ends it, the kernel ends all others and undoes their mounts.
 */
export async function createNamespaces(folder: ClusterFolder, init: string): Promise<void> {
  for (const covered of PRIVATE_DIRECTORIES) await mkdir(join(folder.privateDirectory, covered), { recursive: true });
  const logFile = join(folder.logDirectory, 'namespaces.log');
  await using log = await open(logFile, 'a');
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'slave'];
  const script = [
    'sh',
    '-c',
    SET_UP,
    'sh',
    folder.directory,
    relative(folder.directory, folder.privateDirectory),
    init,
    ...PRIVATE_DIRECTORIES,
  ];
  const child = spawn('unshare', [...namespaces, ...script], {
    detached: true,
    env: markedEnvironment(folder),
    stdio: ['ignore', 'pipe', log.fd],
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('A pipe was asked for.');
  const [first] = await Promise.race([once(createInterface(stdout), 'line'), once(child, 'exit')]);
  if (first !== 'ready')
    throw new Error(`Could not make namespaces of processes and mounts:\n${await lastLines(logFile)}`);
  stdout.destroy();
  child.unref();
  await waitUntil('the namespaces have their first process', START_TIMEOUT_MS, async () => {
    return (await findInit(folder))?.argv[0] === init;
  });
}

/** The namespaces' first process; undefined where there is none. */
async function findInit(folder: ClusterFolder): Promise<MarkedProcess | undefined> {
  return (await findMarkedProcesses(folder)).find(isInit);
}

export interface EnterOptions {
  readonly argv: readonly string[];
  readonly logFile: string;
}

/**
 * Starts a program in the namespaces of a cluster, which runs on when this process ends.
 * @returns what brings it there, and ends when it does
 */
export async function startInNamespaces(folder: ClusterFolder, { argv, logFile }: EnterOptions): Promise<ChildProcess> {
  const target = await findInit(folder);
  if (target === undefined) throw new NotRunningError();
  await using log = await open(logFile, 'a');
  const child = spawn('nsenter', ['--target', String(target.pid), '--mount', '--pid', '--', ...argv], {
    detached: true,
    cwd: '/',
    env: markedEnvironment(folder),
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(child, 'spawn');
  child.unref();
  return child;
}

import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Linux takes no longer path for a socket: `sun_path` with its end. */
const SOCKET_PATH_MAX_BYTES = 107;

/** The one folder that a cluster is in, and the names that are made from its path so that two clusters never meet. */
export interface ClusterFolder {
  readonly directory: string;
  /** The programs, a folder for each version of their sources; kept. */
  readonly binDirectory: string;
  /** Where they are built; gone once they are. */
  readonly buildDirectory: string;
  /** All that a running cluster has on disk; gone after `down`. */
  readonly runDirectory: string;
  readonly lockFile: string;
  readonly stateFile: string;
  readonly kubeconfig: string;
  readonly containerdSocket: string;
  readonly certificatesDirectory: string;
  readonly configDirectory: string;
  readonly dataDirectory: string;
  readonly logDirectory: string;
  /** What the cluster sees in the place of the host's own `/tmp`, `/run` and the like. */
  readonly privateDirectory: string;
  /** Of the bridge and of the control group. */
  readonly name: string;
  /** A number that is the same for the same path. */
  readonly hash: number;
}

/**
 * Makes the folder, if it is not there, and finds its real path: whatever way leads to it, it is one cluster's.
 * @param path by default `$WORKSPACE_CLUSTER_DIR`, or else a folder in the user's cache
 */
export async function openClusterFolder(path: string = defaultDirectory()): Promise<ClusterFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return clusterFolder(await realpath(path));
}

/**
 * @param directory an absolute path
 * @throws Error if a socket in the folder would have too long a path
 */
export function clusterFolder(directory: string): ClusterFolder {
  const digest = createHash('sha256').update(directory).digest();
  const runDirectory = join(directory, 'run');
  const containerdSocket = join(runDirectory, 'containerd.sock');
  // containerd has a second socket, named after the first.
  if (Buffer.byteLength(`${containerdSocket}.ttrpc`) > SOCKET_PATH_MAX_BYTES)
    throw new Error(
      `The path ${directory} is too long for a socket in it. Set WORKSPACE_CLUSTER_DIR to a shorter one.`,
    );
  return {
    directory,
    binDirectory: join(directory, 'bin'),
    buildDirectory: join(directory, 'build'),
    runDirectory,
    lockFile: join(directory, 'lock'),
    stateFile: join(runDirectory, 'state.json'),
    kubeconfig: join(runDirectory, 'kubeconfig'),
    containerdSocket,
    certificatesDirectory: join(runDirectory, 'certificates'),
    configDirectory: join(runDirectory, 'config'),
    dataDirectory: join(runDirectory, 'data'),
    logDirectory: join(runDirectory, 'logs'),
    privateDirectory: join(runDirectory, 'private'),
    // A network interface's name has 15 characters at most.
    name: `aw-${digest.toString('hex').slice(0, 8)}`,
    hash: digest.readUInt32BE(),
  };
}

function defaultDirectory(): string {
  const chosen = process.env['WORKSPACE_CLUSTER_DIR'];
  if (chosen !== undefined && chosen !== '') return chosen;
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'agent-workspace', 'cluster');
}

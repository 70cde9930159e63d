import { resolve } from 'node:path';
import { DockerUnavailableError } from '@agent-workspace/core';
import { BACKENDS, type BackendName } from '../backends/backend.ts';
import { CLUSTER_OPTIONS, clusterValues, type ClusterValues } from '../backends/cluster-options.ts';
import { EXIT, type Io } from '../io.ts';
import { missingPackage } from '../machine/engine-package.ts';
import { findWorkspaceDirectories } from '../machine/find-directories.ts';
import { parseOptions, type OptionTable } from '../options/option-table.ts';
import { oneOf } from '../options/values.ts';
import { age, table } from '../output/table.ts';
import type { Command } from './command.ts';

const OPTIONS = {
  backend: {
    type: 'string',
    value: 'NAME',
    help: 'only those of local, docker, e2b or kubernetes; default: of all but\nkubernetes',
  },
  json: { type: 'boolean', help: 'print one JSON line' },
  'docker-host': { type: 'string', value: 'URL', help: 'where the engine is; default: as for the docker command' },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

/** A workspace, as far as it shows from outside. */
interface Listed {
  readonly kind: 'directory' | 'container' | 'sandbox' | 'pod';
  /** The path, or the engine's id or name. */
  readonly where: string;
  readonly workspaceId: string;
  readonly managerId: string | undefined;
  readonly state: string;
  readonly createdAt: number | undefined;
}

/** What could be found, and where one could not look. */
interface Found {
  readonly workspaces: readonly Listed[];
  readonly problem?: string | undefined;
}

const CONTAINER_ID_LENGTH = 12;

/** Lists workspaces by what they have left on this machine, with E2B and in a cluster. */
export const lsCommand: Command = {
  name: 'ls',
  summary: 'list workspaces: directories, containers, sandboxes, Pods',
  usage: '[option]… [DIR]',
  description: `Lists the workspaces in DIR (default: the current directory) and three levels below it, in containers of the
Docker Engine, and, where E2B_API_KEY is set, in E2B sandboxes. With --backend kubernetes, those of a namespace: in
Pods, and closed ones in their claims. Where it cannot look it says so; with --backend that is a failure.`,
  options: OPTIONS,
  run: async (argv, io) => {
    const { values, positionals } = parseOptions(OPTIONS, argv, { positionals: 1 });
    const { environment, directory, signal } = io;
    const only = values.backend === undefined ? undefined : oneOf('backend', values.backend, BACKENDS);
    const listings: Readonly<Record<BackendName, () => Promise<Found>>> = {
      local: () => listDirectories(resolve(directory, positionals[0] ?? '.')),
      docker: () => listContainers(values['docker-host'], signal),
      e2b: () => listSandboxes(signal),
      kubernetes: () => listPods(clusterValues(values, directory), signal),
    };
    // A cluster is asked on request alone, since people have one in their kubeconfig for other things.
    const usual: readonly BackendName[] = [
      'local',
      'docker',
      ...(environment['E2B_API_KEY'] === undefined ? [] : ['e2b' as const]),
    ];
    const found = await Promise.all((only === undefined ? usual : [only]).map((backend) => listings[backend]()));
    const workspaces = found.flatMap((part) => part.workspaces);
    const problems = found.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    if (values.json === true) {
      io.print(JSON.stringify({ workspaces, problems }));
    } else {
      if (workspaces.length > 0) printTable(workspaces, io);
      else if (problems.length === 0) io.say('There are no workspaces here.\n');
      for (const problem of problems) io.say(`${problem}\n`);
    }
    return only !== undefined && problems.length > 0 ? EXIT.failed : EXIT.fine;
  },
};

async function listDirectories(path: string): Promise<Found> {
  const directories = await findWorkspaceDirectories(path);
  return {
    workspaces: directories.map(({ path: where, workspaceId, seededAt }) => ({
      kind: 'directory',
      where,
      workspaceId,
      managerId: undefined,
      state: 'there',
      createdAt: seededAt,
    })),
  };
}

async function listContainers(dockerHost: string | undefined, signal: AbortSignal): Promise<Found> {
  const missing = missingPackage('docker');
  if (missing !== undefined) return { workspaces: [], problem: `No containers: ${missing.detail}.` };
  const { listWorkspaceContainers } = await import('@agent-workspace/docker');
  try {
    const containers = await listWorkspaceContainers({ dockerHost, signal });
    const workspaces = containers.flatMap(({ id, workspaceId, managerId, state, createdAt }) =>
      workspaceId === undefined
        ? []
        : [
            {
              kind: 'container' as const,
              where: id.slice(0, CONTAINER_ID_LENGTH),
              workspaceId,
              managerId,
              state,
              createdAt,
            },
          ],
    );
    return { workspaces };
  } catch (error) {
    if (!DockerUnavailableError.isInstance(error)) throw error;
    return { workspaces: [], problem: `No containers: no Docker Engine answers at ${error.details.endpoint}.` };
  }
}

async function listSandboxes(signal: AbortSignal): Promise<Found> {
  const missing = missingPackage('e2b');
  if (missing !== undefined) return { workspaces: [], problem: `No sandboxes: ${missing.detail}.` };
  const { listWorkspaceSandboxes } = await import('@agent-workspace/e2b');
  try {
    const sandboxes = await listWorkspaceSandboxes({ signal });
    return { workspaces: sandboxes.map(({ sandboxId, ...rest }) => ({ kind: 'sandbox', where: sandboxId, ...rest })) };
  } catch (error) {
    return { workspaces: [], problem: `No sandboxes: ${(error as Error).message}` };
  }
}

async function listPods(cluster: ClusterValues, signal: AbortSignal): Promise<Found> {
  const missing = missingPackage('kubernetes');
  if (missing !== undefined) return { workspaces: [], problem: `No Pods: ${missing.detail}.` };
  const { surveyCluster } = await import('@agent-workspace/kubernetes');
  try {
    const { namespace, workspaces } = await surveyCluster({ ...cluster, signal });
    return {
      workspaces: workspaces.map(({ name, workspaceId, managerId, state, createdAt }) => ({
        kind: 'pod',
        where: `${namespace}/${name}`,
        workspaceId,
        managerId,
        state,
        createdAt,
      })),
    };
  } catch (error) {
    return { workspaces: [], problem: `No Pods: ${(error as Error).message}` };
  }
}

function printTable(workspaces: readonly Listed[], io: Io): void {
  const now = Date.now();
  const rows = workspaces.map(({ kind, where, workspaceId, managerId, state, createdAt }) => [
    kind,
    state,
    createdAt === undefined ? '' : age(createdAt, now),
    managerId ?? '',
    workspaceId,
    where,
  ]);
  io.print(table(['KIND', 'STATE', 'AGE', 'MANAGER', 'WORKSPACE', 'WHERE'], rows));
}

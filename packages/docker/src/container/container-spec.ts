import { createHash } from 'node:crypto';
import type { ContainerMount, ContainerRequest } from '../engine/engine-containers.ts';
import { IMAGE_LAYOUT } from '../image/layout.ts';
import type { ContainerLimits } from './container-limits.ts';
import { type ContainerUser, formatUser } from './container-user.ts';
import { LABELS } from './labels.ts';

/** Where a workspace's files are. */
export type ContainerStorage =
  /** A directory of the host, as a real path. */
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'volume'; readonly name: string }
  /** In the container, and gone with it. */
  | { readonly kind: 'container' };

/** All that decides what a container is like. */
export interface ContainerSpec {
  readonly managerId: string;
  readonly workspaceId: string;
  readonly image: string;
  readonly user: ContainerUser;
  readonly storage: ContainerStorage;
  /** Where the storage is in the container. */
  readonly workdir: string;
  /** `bridge`, `none`, or the name of one. */
  readonly network: string;
  readonly limits: ContainerLimits;
  /** A port of the container that is published at a free one of 127.0.0.1. */
  readonly publishedPort?: number | undefined;
  /** A directory of the host for the gateway's socket. */
  readonly socketDirectory?: string | undefined;
  /** It is no use without that directory. Default: where the engine does not see it, the container is made without. */
  readonly needsSocket?: boolean | undefined;
  /** It is told what to run first when it is started, by who starts it. */
  readonly takesFirstCommand?: boolean | undefined;
}

/** Room for compilers and browsers, and an end to a fork bomb. */
const DEFAULT_PIDS = 1024;
const MAX_MANAGER_CHARACTERS = 40;
const HASH_CHARACTERS = 16;

/** A legal name that two workspaces never share, whatever their ids consist of. */
export function containerName({ managerId, workspaceId }: Pick<ContainerSpec, 'managerId' | 'workspaceId'>): string {
  const manager = managerId.replaceAll(/[^a-zA-Z0-9_.-]/g, '-').slice(0, MAX_MANAGER_CHARACTERS);
  const hash = createHash('sha256')
    .update(JSON.stringify([managerId, workspaceId]))
    .digest('hex');
  return `aw-${manager}-${hash.slice(0, HASH_CHARACTERS)}`;
}

/** What a container is found again by. */
export function identityLabels({
  managerId,
  workspaceId,
}: Pick<ContainerSpec, 'managerId' | 'workspaceId'>): Record<string, string> {
  return { [LABELS.manager]: managerId, [LABELS.workspace]: workspaceId };
}

/** Tells two specifications apart. The directory for the socket is another one each time, and does not count. */
export function configurationHash(spec: ContainerSpec): string {
  const { socketDirectory, ...rest } = spec;
  const body = createBody({ ...rest, socketDirectory: socketDirectory === undefined ? undefined : '' });
  return createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, HASH_CHARACTERS);
}

/** The create request: name and labels come with it, so that nothing of ours is ever without them. */
export function createRequest(spec: ContainerSpec): ContainerRequest {
  const labels = { ...identityLabels(spec), [LABELS.configuration]: configurationHash(spec) };
  return { ...createBody(spec), Labels: labels };
}

/** Without the directory for the socket, and yet what the specification stands for. */
export function createRequestWithoutSocket(spec: ContainerSpec): ContainerRequest {
  return { ...createRequest(spec), HostConfig: createBody({ ...spec, socketDirectory: undefined }).HostConfig };
}

function createBody(spec: ContainerSpec): ContainerRequest {
  const { limits, network, publishedPort } = spec;
  const port = publishedPort === undefined ? undefined : `${publishedPort}/tcp`;
  return {
    Image: spec.image,
    User: formatUser(spec.user),
    WorkingDir: spec.workdir,
    ...command(spec),
    ...(port !== undefined && { ExposedPorts: { [port]: {} } }),
    HostConfig: {
      Init: true,
      NetworkMode: network,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: limits.pids ?? DEFAULT_PIDS,
      ...(limits.memoryBytes !== undefined && { Memory: limits.memoryBytes, MemorySwap: limits.memoryBytes }),
      ...(limits.cpus !== undefined && { NanoCpus: Math.round(limits.cpus * 1e9) }),
      ...(port !== undefined && { PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } }),
      Mounts: [...storageMounts(spec), ...socketMounts(spec)],
    },
  };
}

/** Lives until it is stopped. The init in front of it reaps what commands leave behind. */
function command({ takesFirstCommand = false }: ContainerSpec): ContainerRequest {
  if (!takesFirstCommand) return { Cmd: ['sleep', 'infinity'] };
  return {
    // Waits for its script, which ends with the same sleep.
    Cmd: ['sh'],
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  };
}

function storageMounts({ storage, workdir }: ContainerSpec): readonly ContainerMount[] {
  switch (storage.kind) {
    case 'directory':
      return [{ Type: 'bind', Source: storage.path, Target: workdir }];
    case 'volume':
      return [{ Type: 'volume', Source: storage.name, Target: workdir }];
    case 'container':
      return [];
  }
}

function socketMounts({ socketDirectory }: ContainerSpec): readonly ContainerMount[] {
  if (socketDirectory === undefined) return [];
  return [{ Type: 'bind', Source: socketDirectory, Target: IMAGE_LAYOUT.socketDirectory }];
}

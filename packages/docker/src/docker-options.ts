import { DockerOptionsInvalidError } from '@agent-workspace/core';
import type { ContainerLimits } from './container/container-limits.ts';
import type { TransportKind } from './transport/transport.ts';

/** What the image of a workspace is made from. */
export interface DockerImageOptions {
  /** Default `python:3.12-slim`. */
  readonly baseImage?: string | undefined;
  /** Of the `node:{nodeVersion}-slim` that node is copied from, unless the base has Node 20 or later. Default `24`. */
  readonly nodeVersion?: string | undefined;
  /** Python packages, in a virtual environment that is first on the agent's PATH. */
  readonly extraPip?: readonly string[] | undefined;
  /** npm packages, whose commands are on the agent's PATH. */
  readonly extraNpm?: readonly string[] | undefined;
  /** Whom the container runs as, as `uid` or `uid:gid`. Default: the owner of `workdir`, else this process's user, and 1000 for root. */
  readonly user?: string | undefined;
  /** Where the engine is, as in `DOCKER_HOST`. Default: where the `docker` command would find it. */
  readonly dockerHost?: string | undefined;
}

/** What the container of a workspace is like. */
export interface DockerContainerOptions extends DockerImageOptions {
  /** A directory of this host, mounted at `/workspace`; made if it is not there. */
  readonly workdir?: string | undefined;
  /** A named volume, mounted at `/workspace`; made if it is not there. Without it and `workdir`, the data go with the container. */
  readonly volume?: string | undefined;
  /** `bridge` (the default), `none`, or the name of a network. */
  readonly network?: string | undefined;
  readonly limits?: ContainerLimits | undefined;
  /** How the host reaches the gateway. Default: a socket where host and engine share a kernel and a temporary directory, else commands in the container. */
  readonly transport?: TransportKind | undefined;
  /** The port of the container's that is published, for `transport: 'port'`. Default 8765. */
  readonly gatewayPort?: number | undefined;
  /** Whose the container is. Default `standalone`, which no manager reaps. */
  readonly managerId?: string | undefined;
  /** Whole milliseconds for the container to be made and run, without the building of its image. Default 60,000. */
  readonly startTimeoutMs?: number | undefined;
}

export const DEFAULT_BASE_IMAGE = 'python:3.12-slim';
export const DEFAULT_NODE_VERSION = '24';
export const DEFAULT_NETWORK = 'bridge';
export const DEFAULT_GATEWAY_PORT = 8765;
/** An engine that is busy takes seconds; one that takes a minute is in trouble. */
export const DEFAULT_START_TIMEOUT_MS = 60_000;

/** Timers take no more. */
const MAX_TIMEOUT_MS = 2_147_483_647;
/** The engine's own unit. */
const CPU_PARTS = 1e9;

const VOLUME_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;

/** @throws `docker-options-invalid` */
export function checkContainerOptions(options: DockerContainerOptions): void {
  const { workdir, volume, transport, network, limits = {} } = options;
  const { gatewayPort = DEFAULT_GATEWAY_PORT, startTimeoutMs = DEFAULT_START_TIMEOUT_MS } = options;
  if (workdir !== undefined && volume !== undefined) {
    refuse('volume', 'the files are either in workdir or in a volume; give one of the two.');
  }
  if (volume !== undefined && !VOLUME_NAME.test(volume)) {
    refuse('volume', 'a name has letters, digits, "_", "." and "-"; for a directory of this host there is workdir.');
  }
  if (transport === 'port' && network === 'none') {
    refuse('transport', 'a port needs a network; leave transport out, or take another network than none.');
  }
  if (!Number.isInteger(gatewayPort) || gatewayPort < 1 || gatewayPort > 65_535) {
    refuse('gatewayPort', 'give a number between 1 and 65535.');
  }
  if (!isWhole(startTimeoutMs) || startTimeoutMs > MAX_TIMEOUT_MS) {
    refuse('startTimeoutMs', `give whole milliseconds from 1 to ${MAX_TIMEOUT_MS}, and not ${startTimeoutMs}.`);
  }
  checkLimits(limits);
}

/** The engine takes 0, and what is no number, for no limit at all. */
function checkLimits({ memoryBytes, cpus, pids }: ContainerLimits): void {
  for (const [name, value] of Object.entries({ memoryBytes, pids })) {
    if (value === undefined || isWhole(value)) continue;
    refuse(`limits.${name}`, `give a whole number from 1 on, and not ${value}; leave it out for the default.`);
  }
  if (cpus !== undefined && !isWhole(Math.round(cpus * CPU_PARTS))) {
    refuse('limits.cpus', `give a number above 0, such as 0.5, and not ${cpus}; leave it out for the default.`);
  }
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function refuse(option: string, reason: string): never {
  throw new DockerOptionsInvalidError({ option, reason });
}

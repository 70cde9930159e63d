import { setTimeout } from 'node:timers/promises';
import {
  ContainerStartFailedError,
  DockerOptionsInvalidError,
  DockerRequestFailedError,
  type Logger,
  silentLogger,
} from '@agent-workspace/core';
import type { SandboxCommand, SandboxStart } from '@agent-workspace/gateway-client';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { EngineContainer } from '../engine/engine-container.ts';
import { hasStatus } from '../engine/translate-error.ts';
import { mountedSocketDirectory } from '../transport/choose-transport.ts';
import { restoreSocketDirectory } from '../transport/socket-directory.ts';
import { checkShared } from './check-shared.ts';
import {
  configurationHash,
  containerName,
  type ContainerSpec,
  type ContainerStorage,
  identityLabels,
} from './container-spec.ts';
import { parseUser } from './container-user.ts';
import { createContainer } from './create-container.ts';
import { FirstCommand } from './first-command.ts';
import { LABELS } from './labels.ts';
import { removeContainer } from './remove-container.ts';
import type { RunCommandResult } from './run-command.ts';

/** How a container was come by. */
export interface FoundContainer {
  readonly container: EngineContainer;
  readonly how: SandboxStart;
  /** It was there, made with other options, and holds what another one would not have. */
  readonly isOutdated: boolean;
  /** What became of its first command, where it was started and has one. */
  readonly ran?: RunCommandResult | undefined;
}

export interface ContainerWorkOptions {
  /** What a container that is started runs first, if it takes that. */
  readonly firstCommand?: SandboxCommand | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * Another host may make or remove the container of the same workspace between two requests of ours;
 * and the engine reserves a name some time before it lists the container.
 */
const MAX_ATTEMPTS = 20;
const RETRY_MS = 100;
const LOG_LINES = 20;
const LOG_MS = 5_000;

/**
 * The running container of a workspace: the one that carries its labels, started where it was
 * stopped, else a new one. One that was made with other options is replaced, unless it runs (another
 * host may be attached to it) or has the data in it.
 *
 * @throws `container-start-failed`, `workdir-not-shared`, `docker-options-invalid`, `docker-request-failed`
 */
export async function findOrCreateContainer(
  engine: DockerEngine,
  spec: ContainerSpec,
  options: ContainerWorkOptions = {},
): Promise<FoundContainer> {
  for (let attempt = 1; ; attempt += 1) {
    const existing = await findContainer(engine, spec, options);
    if (existing !== undefined) {
      const reused = await reuse(engine, spec, existing, options);
      if (reused !== undefined) return reused;
    }
    try {
      return await create(engine, spec, options);
    } catch (error) {
      // The name is taken: by another host, a moment ago, or by someone who is none of us.
      if (!hasStatus(error, 409) || attempt === MAX_ATTEMPTS) throw error;
    }
    await setTimeout(RETRY_MS, undefined, { signal: options.signal });
  }
}

/** The container that carries the labels of a workspace, in whatever state. */
export async function findContainer(
  engine: DockerEngine,
  spec: Pick<ContainerSpec, 'managerId' | 'workspaceId'>,
  { signal }: ContainerWorkOptions = {},
): Promise<EngineContainer | undefined> {
  for (const { id } of await engine.containers.list(identityLabels(spec), { signal })) {
    const container = await engine.containers.inspect(id, { signal });
    if (container !== undefined) return container;
  }
  return undefined;
}

async function reuse(
  engine: DockerEngine,
  spec: ContainerSpec,
  existing: EngineContainer,
  options: ContainerWorkOptions,
): Promise<FoundContainer | undefined> {
  const { state } = existing;
  checkIdentity(spec, existing);
  const isOutdated = existing.labels[LABELS.configuration] !== configurationHash(spec);
  const isLost = state === 'dead' || state === 'removing';
  const isReplaced = isOutdated && spec.storage.kind !== 'container' && state !== 'running' && state !== 'paused';
  if (isLost || isReplaced) {
    const { logger = silentLogger, signal } = options;
    await removeContainer(engine, existing, { logger, signal });
    return undefined;
  }
  if (state === 'paused') await engine.containers.unpause(existing.id, options);
  const how = state === 'running' || state === 'paused' ? 'found' : 'started';
  if (how === 'started') await restoreSocket(existing);
  const firstCommand = how === 'started' && !isOutdated ? options.firstCommand : undefined;
  const started = await startContainer(engine, spec, existing, { ...options, firstCommand });
  return started && { ...started, how, isOutdated };
}

async function restoreSocket(container: EngineContainer): Promise<void> {
  const directory = mountedSocketDirectory(container);
  if (directory !== undefined) await restoreSocketDirectory(directory, parseUser(container.user));
}

/**
 * That the container works on this very storage: the id may come out of a directory, and another
 * directory, a copy or one that an agent has written to, may say the same.
 */
function checkIdentity({ storage, workdir, workspaceId }: ContainerSpec, { name, mounts }: EngineContainer): void {
  const mount = mounts.find(({ destination }) => destination === workdir);
  const [wanted, found] = [describeStorage(storage), mount && (mount.type === 'volume' ? mount.name : mount.source)];
  if (wanted === found) return;
  const reason = `the container ${name} of the workspace ${JSON.stringify(workspaceId)} has its files in ${found ?? 'itself'}, and not in ${wanted ?? 'itself'}; give each of the two an id of its own.`;
  throw new DockerOptionsInvalidError({ option: 'workspaceId', reason });
}

function describeStorage(storage: ContainerStorage): string | undefined {
  switch (storage.kind) {
    case 'directory':
      return storage.path;
    case 'volume':
      return storage.name;
    case 'container':
      return undefined;
  }
}

async function create(
  engine: DockerEngine,
  spec: ContainerSpec,
  options: ContainerWorkOptions,
): Promise<FoundContainer> {
  const { signal, logger = silentLogger } = options;
  const { storage } = spec;
  if (storage.kind === 'volume') await engine.createVolume(storage.name, identityLabels(spec), { signal });
  const name = containerName(spec);
  const id = await createContainer(engine, spec, name);
  try {
    const started = await startContainer(engine, spec, { id, name }, options);
    if (started === undefined) throw new ContainerStartFailedError({ container: name, reason: 'it was removed' });
    return { ...started, how: 'created', isOutdated: false };
  } catch (error) {
    await engine.containers.remove(id).catch((failure: unknown) => {
      logger.error('Could not remove a container that did not start', { container: name, error: failure });
    });
    throw error;
  }
}

async function checkStorage(
  engine: DockerEngine,
  { storage, workdir }: ContainerSpec,
  containerId: string,
  { signal }: ContainerWorkOptions,
): Promise<void> {
  if (storage.kind !== 'directory') return;
  await checkShared(engine, { containerId, hostDirectory: storage.path, mountPoint: workdir, signal });
}

/** Starts it once its storage is the right one, and looks that it runs. @returns `undefined` if it is gone */
async function startContainer(
  engine: DockerEngine,
  spec: ContainerSpec,
  { id, name }: Pick<EngineContainer, 'id' | 'name'>,
  options: ContainerWorkOptions,
): Promise<Pick<FoundContainer, 'container' | 'ran'> | undefined> {
  const { firstCommand, signal } = options;
  const attached = firstCommand && FirstCommand.attach(engine, id, firstCommand, { signal });
  const checked = checkStorage(engine, spec, id, options);
  try {
    await Promise.all([attached, checked]);
    await startUnpaused(engine, id, options);
    const container = await engine.containers.inspect(id, options);
    if (container === undefined) return undefined;
    if (container.state !== 'running') throw await startFailure(engine, container);
    return { container, ran: await (await attached)?.result() };
  } catch (error) {
    if (hasStatus(error, 404) && (await engine.containers.inspect(id, options)) === undefined) return undefined;
    const isLate = signal?.aborted === true;
    if (!isLate && !DockerRequestFailedError.isInstance(error)) throw error;
    const reason = DockerRequestFailedError.isInstance(error) ? error.details.reason : 'it was given up';
    const log = await logTail(engine, id);
    throw new ContainerStartFailedError({ container: name, reason, log }, { cause: error });
  } finally {
    void attached?.then(
      (first) => first.close(),
      () => undefined,
    );
    // Until then there is a file of it in the directory, which could not be taken back.
    await checked.catch(() => undefined);
  }
}

/** An engine that is busy tells that a container was paused after it was unpaused, and for that moment starts none. */
async function startUnpaused(engine: DockerEngine, id: string, options: ContainerWorkOptions): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await engine.containers.start(id, options);
    } catch (error) {
      if (!hasStatus(error, 409) || attempt === MAX_ATTEMPTS) throw error;
    }
    await setTimeout(RETRY_MS, undefined, { signal: options.signal });
  }
}

async function startFailure(
  engine: DockerEngine,
  { id, name, state, error, exitCode }: EngineContainer,
): Promise<ContainerStartFailedError> {
  const reason = error || `it is ${state}, with exit code ${exitCode}`;
  return new ContainerStartFailedError({ container: name, reason, log: await logTail(engine, id) });
}

/**
 * The end of what a container printed, if that can be had. It goes with an error that may be late already,
 * so it is not waited for for long.
 */
async function logTail(engine: DockerEngine, id: string): Promise<string | undefined> {
  try {
    return (await engine.containers.logTail(id, LOG_LINES, { signal: AbortSignal.timeout(LOG_MS) })) || undefined;
  } catch {
    // The reason is told without it.
    return undefined;
  }
}

import { rm } from 'node:fs/promises';
import { posix } from 'node:path';
import { ContainerStartFailedError, type Logger, WorkspaceLostError } from '@agent-workspace/core';
import {
  type Connector,
  type GatewayInstallation,
  type Sandbox,
  type SandboxCommand,
  type SandboxFile,
  type SandboxRunOptions,
  type SandboxRunResult,
  type SandboxStart,
  type SandboxStartedWith,
  unreachable,
} from '@agent-workspace/gateway-client';
import { containerName, type ContainerSpec } from './container/container-spec.ts';
import type { ContainerUser } from './container/container-user.ts';
import { hostWorkspaceId } from './container/host-workspace-id.ts';
import { LABELS, STANDALONE } from './container/labels.ts';
import { prepareStorage } from './container/prepare-storage.ts';
import { putFile } from './container/put-file.ts';
import { removeContainer } from './container/remove-container.ts';
import { runCommand } from './container/run-command.ts';
import { findContainer, findOrCreateContainer, type FoundContainer } from './container/workspace-container.ts';
import {
  checkContainerOptions,
  DEFAULT_GATEWAY_PORT,
  DEFAULT_NETWORK,
  DEFAULT_START_TIMEOUT_MS,
  type DockerContainerOptions,
} from './docker-options.ts';
import { DockerEngine } from './engine/docker-engine.ts';
import type { ContainerState, EngineContainer } from './engine/engine-container.ts';
import { GATEWAY_FILE, IMAGE_LAYOUT, RIPGREP_FILE } from './image/layout.ts';
import { ensureWorkspaceImage } from './image/workspace-image.ts';
import { chooseTransport, mountedSocketDirectory } from './transport/choose-transport.ts';
import { makeSocketDirectory, removeSocketDirectory } from './transport/socket-directory.ts';
import type { Transport } from './transport/transport.ts';

export interface DockerSandboxOptions extends DockerContainerOptions {
  /** The workspace's own id. Default: the one in `workdir`, if there is one. */
  readonly workspaceId?: string | undefined;
  /** What a workspace is called that has no id yet. */
  readonly newWorkspaceId: string;
  readonly logger: Logger;
  /** Told what a pull or a build does, a line at a time. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

interface Running {
  readonly engine: DockerEngine;
  readonly container: EngineContainer;
  readonly transport: Transport;
  readonly user: ContainerUser;
}

/** A paused one goes on where it was. */
const RUNNING_STATES: ReadonlySet<ContainerState> = new Set(['running', 'paused', 'restarting']);

const nothing = (): Promise<void> => Promise.resolve();

/** The container of a workspace. */
export class DockerSandbox implements Sandbox {
  readonly kind = 'docker';
  readonly workdir: string = IMAGE_LAYOUT.workdir;
  readonly isPersistent: boolean;
  readonly gateway: GatewayInstallation;
  readonly startTimeoutMs: number;
  readonly #options: DockerSandboxOptions;
  #running: Running | undefined;
  #undo: () => Promise<void> = nothing;

  /** @throws `docker-options-invalid` */
  constructor(options: DockerSandboxOptions) {
    checkContainerOptions(options);
    this.#options = options;
    this.isPersistent = options.workdir !== undefined || options.volume !== undefined;
    this.startTimeoutMs = options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
    const { node, gatewayDirectory, adminDirectory, adminSocket, socket } = IMAGE_LAYOUT;
    this.gateway = {
      node,
      bundle: posix.join(gatewayDirectory, GATEWAY_FILE),
      ripgrep: posix.join(gatewayDirectory, RIPGREP_FILE),
      // A published port leads to the container's own address; elsewhere nothing listens on a network.
      listen:
        options.transport === 'port'
          ? ['--port', String(this.#gatewayPort), '--host', '0.0.0.0']
          : ['--socket', socket],
      adminSocket,
      pidFile: posix.join(adminDirectory, 'gateway.pid'),
      logFile: posix.join(adminDirectory, 'gateway.log'),
      compileCache: IMAGE_LAYOUT.compileCache,
    };
  }

  get #gatewayPort(): number {
    return this.#options.gatewayPort ?? DEFAULT_GATEWAY_PORT;
  }

  /** Connections that short requests may share. */
  get connections(): number {
    return this.#use().transport.connections;
  }

  async start(options: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    return (await this.#start(undefined, options)).start;
  }

  startWith(command: SandboxCommand, options: { readonly signal: AbortSignal }): Promise<SandboxStartedWith> {
    return this.#start(command, options);
  }

  async isRunning(): Promise<boolean> {
    const { engine, container } = this.#use();
    const now = await engine.containers.inspect(container.id);
    return now !== undefined && RUNNING_STATES.has(now.state);
  }

  async #start(
    command: SandboxCommand | undefined,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<SandboxStartedWith> {
    const { dockerHost, onProgress, transport: asked, logger } = this.#options;
    const engine = await DockerEngine.connect({ dockerHost, signal });
    const before = this.#running?.container;
    await this.#checkNotLost(engine, signal);
    const { storage, user, isNew, takeBack } = await prepareStorage(engine, this.#options, signal);
    let socketDirectory: string | undefined;
    let created: EngineContainer | undefined;
    try {
      if (before !== undefined && isNew) throw this.#lost(before);
      const options = { ...this.#options, containerUser: user };
      const image = await ensureWorkspaceImage(engine, options, { signal, onProgress });
      const wantsSocket = asked === 'socket' || (asked === undefined && engine.sharesKernel);
      socketDirectory = wantsSocket ? await makeSocketDirectory(user) : undefined;
      const spec = await this.#spec({
        image,
        user,
        storage,
        socketDirectory,
        needsSocket: asked === 'socket',
        takesFirstCommand: command !== undefined,
      });
      const { container, how, isOutdated, ran } = await this.#createInTime(engine, spec, command, signal);
      if (how === 'created') created = container;
      // Gone between the look at it and now.
      if (created !== undefined && this.#formerContainer !== undefined) throw this.#lost(this.#formerContainer);
      if (isOutdated) {
        const details = { container: container.name };
        logger.warn('A container that was made with other options is used as it is, since it is in use.', details);
      }
      const isUsed = created !== undefined && mountedSocketDirectory(created) !== undefined;
      if (!isUsed && socketDirectory !== undefined) await removeSocketDirectory(socketDirectory);
      const gatewayPort = this.#gatewayPort;
      const transport = chooseTransport({ engine, container, asked, uid: user.uid, gatewayPort });
      this.#running = { engine, container, transport, user };
      // What was there before a start that follows stays, and what an earlier one made is still what to take back.
      if (before === undefined) this.#undo = () => takeBack({ withContent: true });
      // What was merely started is stopped again where the workspace does not come up, and that would end its data.
      return { start: how === 'started' && !this.isPersistent ? 'found' : how, ran };
    } catch (error) {
      if (created !== undefined) await removeContainer(engine, created, { logger });
      if (socketDirectory !== undefined) await removeSocketDirectory(socketDirectory);
      await takeBack({ withContent: false });
      throw error;
    }
  }

  async run(argv: readonly string[], options: SandboxRunOptions = {}): Promise<SandboxRunResult> {
    const { engine, container } = this.#use();
    return runCommand(engine, container.id, argv, options);
  }

  async putFile({ path, source, mode = 0o644 }: SandboxFile): Promise<void> {
    const { engine, container, user } = this.#use();
    await putFile(engine, container.id, { path, source, mode, owner: user });
  }

  readonly connect: Connector = (options) => this.#use().transport.connect(options);

  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    await removeContainer(running.engine, running.container, { logger: this.#options.logger });
    // No sooner: what was refused is asked for again by the next call.
    this.#running = undefined;
  }

  /** Takes back what `start()` made: the container, and the directory or volume where that was new. */
  async destroy(): Promise<void> {
    await this.stop();
    const undo = this.#undo;
    this.#undo = nothing;
    await undo();
  }

  /** Removes the container, wherever it was made, and the volume; the host's directory only if asked to. */
  async removeData(options: { readonly workdir: boolean }): Promise<void> {
    const { dockerHost, volume, workdir, logger } = this.#options;
    await this.stop();
    const engine = await DockerEngine.connect({ dockerHost });
    const left = await findContainer(engine, await this.#identity());
    if (left !== undefined) await removeContainer(engine, left, { logger });
    if (volume !== undefined) await engine.removeVolume(volume);
    if (workdir !== undefined && options.workdir) await rm(workdir, { recursive: true, force: true });
  }

  #use(): Running {
    if (this.#running === undefined) throw unreachable('its container is not started');
    return this.#running;
  }

  async #identity(): Promise<Pick<ContainerSpec, 'managerId' | 'workspaceId'>> {
    const { managerId = STANDALONE, workspaceId, newWorkspaceId, workdir } = this.#options;
    const known = workspaceId ?? (workdir === undefined ? undefined : await hostWorkspaceId(workdir));
    return { managerId, workspaceId: known ?? newWorkspaceId };
  }

  async #spec(
    parts: Pick<ContainerSpec, 'image' | 'user' | 'storage' | 'socketDirectory' | 'needsSocket' | 'takesFirstCommand'>,
  ): Promise<ContainerSpec> {
    const { network = DEFAULT_NETWORK, limits = {}, transport } = this.#options;
    return {
      ...parts,
      ...(await this.#identity()),
      workdir: this.workdir,
      network,
      limits,
      publishedPort: transport === 'port' ? this.#gatewayPort : undefined,
    };
  }

  /** The one that had the files, where those go with their container. */
  get #formerContainer(): EngineContainer | undefined {
    return this.isPersistent ? undefined : this.#running?.container;
  }

  /** What was in a container is gone with it, and is not to be taken for empty. @throws `workspace-lost` */
  async #checkNotLost(engine: DockerEngine, signal: AbortSignal): Promise<void> {
    const before = this.#formerContainer;
    if (before === undefined) return;
    if ((await engine.containers.inspect(before.id, { signal })) === undefined) throw this.#lost(before);
  }

  #lost({ name, labels }: EngineContainer): WorkspaceLostError {
    const { workdir, volume, newWorkspaceId } = this.#options;
    const holder = workdir === undefined ? `volume ${volume}` : `directory ${workdir}`;
    const what = this.isPersistent ? holder : `container ${name}`;
    const workspaceId = labels[LABELS.workspace] ?? newWorkspaceId;
    return new WorkspaceLostError({ workspaceId, reason: `its ${what}, which had its files, was removed` });
  }

  async #createInTime(
    engine: DockerEngine,
    spec: ContainerSpec,
    firstCommand: SandboxCommand | undefined,
    signal: AbortSignal,
  ): Promise<FoundContainer> {
    const { startTimeoutMs } = this;
    const { logger } = this.#options;
    const deadline = AbortSignal.timeout(startTimeoutMs);
    try {
      const either = AbortSignal.any([signal, deadline]);
      return await findOrCreateContainer(engine, spec, { firstCommand, signal: either, logger });
    } catch (error) {
      signal.throwIfAborted();
      if (!deadline.aborted) throw error;
      const reason = `it does not run after ${startTimeoutMs} ms; look at the load of the engine, or give it more with startTimeoutMs`;
      const log = ContainerStartFailedError.isInstance(error) ? error.details.log : undefined;
      throw new ContainerStartFailedError({ container: containerName(spec), reason, log }, { cause: error });
    }
  }
}

import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ContainerCreateOptions, MountConfig } from 'dockerode';
import type { ContainerState, ContainerSummary, EngineContainer } from './engine-container.ts';
import type { EngineCaller, EngineCallOptions } from './engine-caller.ts';
import { ExecStream } from './exec-stream.ts';
import { hasStatus } from './translate-error.ts';

/** What a container is made from, in the engine's own words. */
export type ContainerRequest = Omit<ContainerCreateOptions, 'name' | 'abortSignal'>;

export type ContainerMount = MountConfig[number];

export interface ExecOptions extends EngineCallOptions {
  /** Default: the container's. */
  readonly user?: string | undefined;
  readonly cwd?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** The engine's containers, and the commands in them. */
export class EngineContainers {
  readonly #caller: EngineCaller;

  constructor(caller: EngineCaller) {
    this.#caller = caller;
  }

  /**
   * @param name the engine makes one up if there is none
   * @returns its id
   */
  async create(name: string | undefined, body: ContainerRequest, options?: EngineCallOptions): Promise<string> {
    const container = await this.#caller.call(
      `create ${name === undefined ? 'a container' : `the container ${name}`}`,
      (docker, abortSignal) => docker.createContainer({ ...body, ...(name !== undefined && { name }), abortSignal }),
      options,
    );
    return container.id;
  }

  /** @returns `undefined` if it is not there */
  async inspect(id: string, options?: EngineCallOptions): Promise<EngineContainer | undefined> {
    try {
      const info = await this.#caller.call(
        `inspect the container ${id}`,
        (docker, abortSignal) => docker.getContainer(id).inspect({ abortSignal }),
        options,
      );
      const ports = Object.entries(info.NetworkSettings.Ports ?? {}).map(([key, bindings]) => {
        const published = (bindings ?? []).map(({ HostIp, HostPort }) => ({ address: HostIp, port: Number(HostPort) }));
        return [key, published] as const;
      });
      return {
        id: info.Id,
        name: info.Name.replace(/^\//, ''),
        state: info.State.Status as ContainerState,
        imageId: info.Image,
        user: info.Config.User,
        labels: info.Config.Labels ?? {},
        mounts: info.Mounts.map(({ Type, Source, Destination, Name }) => ({
          type: Type ?? '',
          source: Source,
          destination: Destination,
          name: Name,
        })),
        ports: Object.fromEntries(ports),
        exitCode: info.State.ExitCode,
        error: info.State.Error,
      };
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** All that carry these labels, whatever their value where it is `undefined`; running or not. */
  async list(
    labels: Readonly<Record<string, string | undefined>>,
    options?: EngineCallOptions,
  ): Promise<readonly ContainerSummary[]> {
    const label = Object.entries(labels).map(([key, value]) => (value === undefined ? key : `${key}=${value}`));
    const found = await this.#caller.call(
      'list the containers',
      (docker, abortSignal) => docker.listContainers({ all: true, filters: { label }, abortSignal }),
      options,
    );
    return found.map(({ Id, ImageID, State, Labels, Created, Mounts }) => ({
      id: Id,
      imageId: ImageID,
      state: State,
      labels: Labels,
      createdAt: Created * 1000,
      mountPoints: Mounts.map(({ Destination }) => Destination),
      mountSources: Mounts.map(({ Source }) => Source),
    }));
  }

  /** Its own stdin and output, from its next start on, or from now on if it runs. */
  async attach(id: string, options?: EngineCallOptions): Promise<ExecStream> {
    const raw = await this.#caller.call(
      `attach to the container ${id}`,
      (docker, abortSignal) =>
        docker
          .getContainer(id)
          .attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true, abortSignal }),
      options,
    );
    return new ExecStream(id, raw as unknown as Socket);
  }

  /** Starts it. One that runs is fine. */
  async start(id: string, options?: EngineCallOptions): Promise<void> {
    await this.#unless(304, () =>
      this.#caller.call(
        `start the container ${id}`,
        (docker, abortSignal) => docker.getContainer(id).start({ abortSignal }),
        options,
      ),
    );
  }

  async pause(id: string, options?: EngineCallOptions): Promise<void> {
    await this.#caller.call(
      `pause the container ${id}`,
      (docker, abortSignal) => docker.getContainer(id).pause({ abortSignal }),
      options,
    );
  }

  async unpause(id: string, options?: EngineCallOptions): Promise<void> {
    await this.#caller.call(
      `unpause the container ${id}`,
      (docker, abortSignal) => docker.getContainer(id).unpause({ abortSignal }),
      options,
    );
  }

  /** Ends it: TERM, then after `graceSeconds` KILL. One that has ended is fine. */
  async stop(id: string, graceSeconds: number, options?: EngineCallOptions): Promise<void> {
    await this.#unless(304, () =>
      this.#caller.call(
        `stop the container ${id}`,
        (docker, abortSignal) => docker.getContainer(id).stop({ t: graceSeconds, abortSignal }),
        options,
      ),
    );
  }

  /** Kills and removes it, with its anonymous volumes. One that is not there, or going, is fine. */
  async remove(id: string, options?: EngineCallOptions): Promise<void> {
    try {
      await this.#caller.call(
        `remove the container ${id}`,
        (docker, abortSignal) => docker.getContainer(id).remove({ force: true, v: true, abortSignal }),
        options,
      );
    } catch (error) {
      if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error;
      await this.#waitUntilGone(id, options);
    }
  }

  async #waitUntilGone(id: string, options?: EngineCallOptions): Promise<void> {
    try {
      await this.#caller.call(
        `wait for the end of the container ${id}`,
        (docker, abortSignal) => docker.getContainer(id).wait({ condition: 'removed', abortSignal }),
        options,
      );
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
    }
  }

  /** Waits for its end. @returns its exit code */
  async wait(id: string, options?: EngineCallOptions): Promise<number> {
    const end = await this.#caller.call(
      `wait for the container ${id}`,
      (docker, abortSignal) => docker.getContainer(id).wait({ condition: 'not-running', abortSignal }),
      options,
    );
    return (end as { readonly StatusCode: number }).StatusCode;
  }

  /** The end of what its first process printed. */
  async logTail(id: string, lines: number, options?: EngineCallOptions): Promise<string> {
    const log = await this.#caller.call(
      `read the log of the container ${id}`,
      (docker, abortSignal) =>
        docker.getContainer(id).logs({ stdout: true, stderr: true, tail: lines, follow: false, abortSignal }),
      options,
    );
    return unframe(log).toString('utf8').trim();
  }

  /** Whether there is a file of this path in it, mounts included; it need not run. */
  async hasPath(id: string, path: string, options?: EngineCallOptions): Promise<boolean> {
    try {
      const answer = await this.#caller.call(
        `look for ${path} in the container ${id}`,
        (docker, abortSignal) => docker.getContainer(id).infoArchive({ path, abortSignal }),
        options,
      );
      (answer as Readable).resume();
      return true;
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  /** Unpacks a tar archive into a directory of it; it need not run. */
  async putArchive(id: string, directory: string, archive: Readable, options?: EngineCallOptions): Promise<void> {
    await this.#caller.call(
      `put files into the container ${id}`,
      (docker, abortSignal) => docker.getContainer(id).putArchive(archive, { path: directory, abortSignal }),
      options,
    );
  }

  /**
   * Starts a command, its stdin and output attached. That it was started says nothing of whether it
   * could be: a command that does not exist ends with an exit code of 126 or 127.
   */
  async exec(id: string, argv: readonly string[], options: ExecOptions = {}): Promise<ExecStream> {
    const { user, cwd, environment = {}, signal } = options;
    const operation = `run ${argv[0] ?? ''} in the container ${id}`;
    const exec = await this.#caller.call(
      operation,
      (docker, abortSignal) =>
        docker.getContainer(id).exec({
          Cmd: [...argv],
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: false,
          Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
          ...(user !== undefined && { User: user }),
          ...(cwd !== undefined && { WorkingDir: cwd }),
          abortSignal,
        }),
      { signal },
    );
    const raw = await this.#caller.call(
      operation,
      (_docker, abortSignal) => exec.start({ hijack: true, stdin: true, Tty: false, abortSignal }),
      { signal },
    );
    return new ExecStream(exec.id, raw as Socket);
  }

  /** The exit code of a command, or `undefined` while it runs. */
  async execExitCode(execId: string, options?: EngineCallOptions): Promise<number | undefined> {
    const info = await this.#caller.call(
      'inspect a command',
      (docker, abortSignal) => docker.getExec(execId).inspect({ abortSignal }),
      options,
    );
    return info.Running ? undefined : (info.ExitCode ?? undefined);
  }

  async #unless(status: number, request: () => Promise<unknown>): Promise<void> {
    try {
      await request();
    } catch (error) {
      if (!hasStatus(error, status)) throw error;
    }
  }
}

/** The payloads of a log's frames. */
function unframe(log: Buffer): Buffer {
  const payloads: Buffer[] = [];
  for (let offset = 0; offset + 8 <= log.length;) {
    const end = offset + 8 + log.readUInt32BE(offset + 4);
    payloads.push(log.subarray(offset + 8, end));
    offset = end;
  }
  return Buffer.concat(payloads);
}

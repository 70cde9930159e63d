import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { release } from 'node:os';
import { join } from 'node:path';
import { type Duplex, PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { z } from 'zod';
import { PROGRAM_DIRECTORY } from '../program-files.ts';
import type { TemplateOptions } from '../sandboxes/templates.ts';
import { demultiplex } from './demultiplex.ts';
import { dialRelay } from './dial-relay.ts';
import { DockerApi, DockerApiError, isSocketAddress } from './docker-api.ts';
import { ensureImage, imageEnvironment } from './docker-image.ts';
import { InitProcess } from './init-process.ts';
import { BOOT_ID, INIT_SCRIPT, initScript, INSIDE, RELAY_SOCKET } from './inside.ts';
import { isOwnerAlive } from './owner.ts';
import type { RootContext, RootProvider, RootRequest } from './root-provider.ts';
import type { SandboxRoot } from './sandbox-root.ts';

const OWNER_LABEL = 'io.agent-workspace.e2b-emulator.owner';

const PAUSE_DEADLINE_MS = 20_000;

const versionSchema = z.object({ Os: z.string(), KernelVersion: z.string() });
const createdSchema = z.object({ Id: z.string() });
const inspectedSchema = z.object({ State: z.object({ Pid: z.number() }) });
const listedSchema = z.array(z.object({ Id: z.string(), Labels: z.record(z.string(), z.string()) }));

/** What a container is started from. */
interface Image {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Docker containers of any image that has bash, glibc and libstdc++. */
export class DockerRoots implements RootProvider {
  readonly kind = 'docker';
  readonly #context: RootContext;
  readonly #api: DockerApi = new DockerApi();
  /** By what templates say, what there is to start from. */
  readonly #images = new Map<string | undefined, Promise<Image>>();

  constructor(context: RootContext) {
    this.#context = context;
  }

  /** @returns why there can be none, or nothing */
  async findObstacle(): Promise<string | undefined> {
    if (process.platform !== 'linux') return 'this Node cannot run in them on another system than Linux.';
    if (!isSocketAddress(process.env['DOCKER_HOST'])) return 'DOCKER_HOST leads to an engine on another machine.';
    try {
      const { KernelVersion } = versionSchema.parse(await this.#api.call('GET', '/version'));
      return KernelVersion === release() ? undefined : 'the engine is on another machine.';
    } catch (error) {
      return `no engine answers (${(error as Error).message}).`;
    }
  }

  async prepare(template: TemplateOptions): Promise<void> {
    await this.#imageOf(template);
  }

  #imageOf({ image }: TemplateOptions): Promise<Image> {
    const known = this.#images.get(image) ?? this.#findImage(image);
    this.#images.set(image, known);
    return known;
  }

  async #findImage(asked: string | undefined): Promise<Image> {
    const name = await ensureImage(this.#api, asked, this.#context.log);
    return { name, environment: await imageEnvironment(this.#api, name) };
  }

  async create({ sandboxId, template }: RootRequest): Promise<SandboxRoot> {
    const { envdPath, owner } = this.#context;
    const directory = join(this.#context.directory, sandboxId);
    const shared = join(directory, 'shared');
    await mkdir(shared, { recursive: true });
    await writeFile(join(shared, INIT_SCRIPT), initScript(envdPath));
    const binds = [
      `${process.execPath}:${INSIDE.node}:ro`,
      `${PROGRAM_DIRECTORY.replace(/\/$/, '')}:${INSIDE.programs}:ro`,
      `${shared}:${INSIDE.shared}`,
      ...(envdPath === undefined ? [] : [`${envdPath}:${INSIDE.envd}:ro`]),
    ];
    const { name, environment } = await this.#imageOf(template);
    const created = await this.#api.call('POST', `/containers/create?name=e2b-emulator-${sandboxId}`, {
      Image: name,
      Entrypoint: ['/bin/bash', `${INSIDE.shared}/${INIT_SCRIPT}`],
      Cmd: [],
      User: '0:0',
      WorkingDir: '/',
      Hostname: 'e2b',
      // Its stdin ends with the connection that is attached first: with this process, however that ends.
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      Labels: { [OWNER_LABEL]: owner },
      HostConfig: { Binds: binds, AutoRemove: true, NetworkMode: 'bridge' },
    });
    const { Id: id } = createdSchema.parse(created);
    const log = (text: string): void => this.#context.log(`${sandboxId}: ${text}`);
    const root = new DockerRoot(this.#api, { id, environment, directory, log });
    try {
      await root.start();
    } catch (error) {
      await root.destroy();
      throw error;
    }
    return root;
  }

  async removeLeftovers(): Promise<void> {
    const filters = encodeURIComponent(JSON.stringify({ label: [OWNER_LABEL] }));
    const found = listedSchema.parse(await this.#api.call('GET', `/containers/json?all=1&filters=${filters}`));
    for (const { Id, Labels } of found) {
      if (await isOwnerAlive(Labels[OWNER_LABEL] ?? '')) continue;
      this.#context.log(`removing the container ${Id.slice(0, 12)} of an emulator that is no more`);
      await removeContainer(this.#api, Id);
    }
  }
}

interface DockerRootParts {
  readonly id: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly log: (text: string) => void;
}

class DockerRoot implements SandboxRoot {
  readonly kind = 'docker';
  readonly environment: Readonly<Record<string, string>>;
  readonly #api: DockerApi;
  readonly #id: string;
  readonly #directory: string;
  readonly #log: (text: string) => void;
  #init: InitProcess | undefined;
  #stdin: Duplex | undefined;

  constructor(api: DockerApi, { id, environment, directory, log }: DockerRootParts) {
    this.environment = environment;
    this.#api = api;
    this.#id = id;
    this.#directory = directory;
    this.#log = log;
  }

  /** Starts the container's first process, attached to it. */
  async start(): Promise<void> {
    const streams = await this.#api.hijack(`/containers/${this.#id}/attach?stream=1&stdin=1&stdout=1&stderr=1`);
    const stdout = new PassThrough();
    demultiplex(streams, { stdout, onStderr: this.#log });
    this.#stdin = streams;
    this.#init = new InitProcess(streams, stdout);
    await this.#api.call('POST', `/containers/${this.#id}/start`);
  }

  connect(port: number): Promise<Socket> {
    return dialRelay(join(this.#directory, 'shared', RELAY_SOCKET), port);
  }

  async boot(): Promise<void> {
    this.#init?.boot();
  }

  /** What the emulator has to do with the container goes through a shared directory, not the network. */
  async setInternetAccess(isAllowed: boolean): Promise<void> {
    const call = isAllowed ? 'connect' : 'disconnect';
    await this.#api.call('POST', `/networks/bridge/${call}`, { Container: this.#id });
  }

  /** On a busy machine the engine gives up before all processes stand still: it is asked until they do. */
  async pause(): Promise<void> {
    const deadline = Date.now() + PAUSE_DEADLINE_MS;
    for (;;) {
      try {
        await this.#api.call('POST', `/containers/${this.#id}/pause`);
        return;
      } catch (error) {
        if (!(error instanceof DockerApiError) || !/unable to freeze/.test(error.message)) throw error;
        if (Date.now() > deadline) throw error;
      }
    }
  }

  async resume(): Promise<void> {
    await this.#api.call('POST', `/containers/${this.#id}/unpause`);
  }

  async stopProcesses(): Promise<void> {
    await this.#init?.stop();
    await this.#renewBootId();
  }

  async destroy(): Promise<void> {
    this.#stdin?.destroy();
    await removeContainer(this.#api, this.#id);
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** From outside, since nobody in the container may mount anything. Without the right to, it says so and goes on. */
  async #renewBootId(): Promise<void> {
    try {
      const { State } = inspectedSchema.parse(await this.#api.call('GET', `/containers/${this.#id}/json`));
      const mount = ['mount', '--bind', `${INSIDE.shared}/${BOOT_ID}`, '/proc/sys/kernel/random/boot_id'];
      await promisify(execFile)('nsenter', ['--target', String(State.Pid), '--mount', ...mount]);
    } catch (error) {
      this.#log(`the boot id stays the same: ${(error as Error).message.trim()}`);
    }
  }
}

/** Ends and removes one, paused or not. One that is not there, or going, is fine. */
async function removeContainer(api: DockerApi, id: string): Promise<void> {
  try {
    await api.call('DELETE', `/containers/${id}?force=1&v=1`);
  } catch (error) {
    if (!(error instanceof DockerApiError) || (error.status !== 404 && error.status !== 409)) throw error;
    await waitUntilGone(api, id);
  }
}

async function waitUntilGone(api: DockerApi, id: string): Promise<void> {
  try {
    await api.call('POST', `/containers/${id}/wait?condition=removed`);
  } catch (error) {
    if (!(error instanceof DockerApiError) || error.status !== 404) throw error;
  }
}

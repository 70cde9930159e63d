import { release } from 'node:os';
import { DockerUnavailableError } from '@agent-workspace/core';
import type { DockerOptions } from 'dockerode';
import { type EngineEndpoint, findEndpoint, type FindEndpointOptions } from './endpoint.ts';
import { engineAnnouncement } from './engine-announcement.ts';
import { EngineCaller, type EngineCallOptions } from './engine-caller.ts';
import { EngineContainers } from './engine-containers.ts';
import { EngineImages } from './engine-images.ts';
import { hasStatus } from './translate-error.ts';

/** The newest version of the API that this package was written for. */
const API_VERSION = '1.47';

/** Processors by the engine's names for them. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  amd64: 'x64',
  x86_64: 'x64',
  arm64: 'arm64',
  aarch64: 'arm64',
};

/** What is known of an engine from its first answer. */
interface EngineFacts {
  readonly version: string;
  readonly apiVersion: string;
  /** As in `process.arch`. */
  readonly architecture: string;
  readonly sharesKernel: boolean;
}

/** A Docker Engine. Nothing outside this folder knows the client that talks to it. */
export class DockerEngine {
  readonly images: EngineImages;
  readonly containers: EngineContainers;
  /** Where it is, as in `DOCKER_HOST`. */
  readonly address: string;
  /** Of the engine itself, such as `27.3.1`. */
  readonly version: string;
  readonly apiVersion: string;
  /** The processor of its containers, as in `process.arch`. */
  readonly architecture: string;
  /** Whether its containers seem to run on this very kernel, so that sockets in a shared directory work. */
  readonly sharesKernel: boolean;
  readonly #caller: EngineCaller;

  private constructor(caller: EngineCaller, facts: EngineFacts) {
    this.#caller = caller;
    this.images = new EngineImages(caller);
    this.containers = new EngineContainers(caller);
    this.address = caller.endpoint;
    this.version = facts.version;
    this.apiVersion = facts.apiVersion;
    this.architecture = facts.architecture;
    this.sharesKernel = facts.sharesKernel;
  }

  /**
   * Finds an engine, and settles on a version of the API that both sides know.
   *
   * @throws `docker-unavailable` if none answers, `docker-options-invalid`
   */
  static async connect(options: FindEndpointOptions & EngineCallOptions = {}): Promise<DockerEngine> {
    const endpoint = await findEndpoint(options);
    const { address } = endpoint;
    const { default: Client } = await import('dockerode');
    const connection = connectionOptions(endpoint);
    const anyVersion = new EngineCaller(new Client(connection), address);
    const facts = await findFacts(anyVersion, options);
    const caller = new EngineCaller(new Client({ ...connection, version: `v${facts.apiVersion}` }), address);
    return new DockerEngine(caller, facts);
  }

  /** Makes a volume with these labels; one that is there stays as it is. */
  async createVolume(
    name: string,
    labels: Readonly<Record<string, string>>,
    options?: EngineCallOptions,
  ): Promise<void> {
    await this.#caller.call(
      `create the volume ${name}`,
      (docker, abortSignal) => docker.createVolume({ Name: name, Labels: { ...labels }, abortSignal }),
      options,
    );
  }

  async hasVolume(name: string, options?: EngineCallOptions): Promise<boolean> {
    try {
      await this.#caller.call(
        `inspect the volume ${name}`,
        (docker, abortSignal) => docker.getVolume(name).inspect({ abortSignal }),
        options,
      );
      return true;
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  /** Removes a volume with its data. One that is not there is fine. */
  async removeVolume(name: string, options?: EngineCallOptions): Promise<void> {
    try {
      await this.#caller.call(
        `remove the volume ${name}`,
        (docker, abortSignal) => docker.getVolume(name).remove({ abortSignal }),
        options,
      );
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
    }
  }
}

/** By address, each with what the engine there said of itself at that time. */
const known = new Map<string, { readonly announcement: string; readonly facts: EngineFacts }>();

/** What is known of the engine that answers, which is asked no more than once. */
async function findFacts(caller: EngineCaller, options: EngineCallOptions): Promise<EngineFacts> {
  const { endpoint } = caller;
  const operation = 'tell its version';
  const announcement = await caller.call(operation, engineAnnouncement, options);
  const before = known.get(endpoint);
  if (before !== undefined && before.announcement === announcement) return before.facts;
  const version = await caller.call(operation, (docker) => docker.version(), options);
  const isHere = endpoint.startsWith('unix:') && version.Os === process.platform;
  const facts: EngineFacts = {
    version: version.Version,
    apiVersion: negotiate(version.ApiVersion, version.MinAPIVersion),
    architecture: ARCHITECTURES[version.Arch] ?? version.Arch,
    sharesKernel: isHere && version.KernelVersion === release(),
  };
  if (announcement !== undefined) known.set(endpoint, { announcement, facts });
  return facts;
}

/** The newest version that both know, or the engine's oldest where we know none of its. */
function negotiate(newest: string, oldest: string | undefined): string {
  if (compareVersions(newest, API_VERSION) <= 0) return newest;
  return oldest !== undefined && compareVersions(oldest, API_VERSION) > 0 ? oldest : API_VERSION;
}

function compareVersions(one: string, other: string): number {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
}

function connectionOptions({ address, tls }: EngineEndpoint): DockerOptions {
  // The client mixes in what DOCKER_HOST says where an option is missing, so that each is named here.
  const none = {
    host: undefined,
    port: undefined,
    socketPath: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
  };
  const [scheme] = address.split(':');
  if (scheme === 'unix' || scheme === 'npipe') {
    return { ...none, protocol: 'http', socketPath: address.slice(`${scheme}://`.length) };
  }
  const url = parseAddress(address);
  if (scheme === 'ssh') {
    return {
      ...none,
      protocol: 'ssh',
      host: url.hostname,
      port: Number(url.port || 22),
      username: decodeURIComponent(url.username),
      sshOptions: { agent: process.env['SSH_AUTH_SOCK'] },
    } as DockerOptions;
  }
  const isEncrypted = tls !== undefined || scheme === 'https';
  return {
    ...none,
    ...tls,
    protocol: isEncrypted ? 'https' : 'http',
    host: url.hostname,
    port: Number(url.port || (isEncrypted ? 2376 : 2375)),
  };
}

function parseAddress(address: string): URL {
  try {
    return new URL(address);
  } catch (error) {
    throw new DockerUnavailableError({ endpoint: address, reason: 'that is no address' }, { cause: error });
  }
}

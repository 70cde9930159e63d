import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlPlane } from './control/control-plane.ts';
import { Faults } from './faults/faults.ts';
import { type AddressFetch, createFetch } from './names/create-fetch.ts';
import { LOCALHOST_NAMES_PROGRAM } from './program-files.ts';
import { makeCertificate } from './proxy/certificate.ts';
import { FrontDoor } from './proxy/front-door.ts';
import { SandboxProxy } from './proxy/sandbox-proxy.ts';
import { Traffic } from './proxy/traffic.ts';
import { chooseRoots } from './roots/choose-roots.ts';
import { ownName } from './roots/owner.ts';
import type { Isolation } from './roots/sandbox-root.ts';
import { makeStateDirectory, removeDeadDirectories } from './roots/state-directory.ts';
import { SandboxRegistry } from './sandboxes/sandbox-registry.ts';
import { type TemplateOptions, Templates } from './sandboxes/templates.ts';

export interface E2BEmulatorOptions {
  /** Of the one port that serves everything. Default: any that is free. */
  readonly port?: number | undefined;
  /** To listen on. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** How sandboxes are kept apart from this machine. Default: `auto`, the best that it allows. */
  readonly isolation?: Isolation | 'auto' | undefined;
  /** By name. Default: `base`, and `mcp-gateway` without a gateway. */
  readonly templates?: Readonly<Record<string, TemplateOptions>> | undefined;
  /** A real envd in place of the built-in one. */
  readonly envdPath?: string | undefined;
  /** The name before `.localhost` in the hosts of sandboxes. Default: `e2b`. */
  readonly domainName?: string | undefined;
  /** What goes on, a line at a time. Default: nobody is told. */
  readonly log?: ((message: string) => void) | undefined;
}

/** Where the SDK is pointed by. */
export interface E2BEnvironment {
  readonly E2B_API_URL: string;
  readonly E2B_SANDBOX_URL: string;
  readonly E2B_API_KEY: string;
  readonly E2B_DOMAIN: string;
}

/** Any key is let in; older SDKs look at its form. */
const API_KEY = `e2b_${'0'.repeat(40)}`;
/** The SDK's `mcp` asks for the second. It has no gateway, which the SDK then says, and ends the sandbox. */
const CERTIFICATE_FILE = 'certificate.pem';
const DEFAULT_TEMPLATES: Readonly<Record<string, TemplateOptions>> = { base: {}, 'mcp-gateway': {} };

/**
 * E2B on this machine: its control plane, its proxy, and sandboxes with an envd in each.
 *
 * @example
 * await using emulator = await E2BEmulator.start();
 * Object.assign(process.env, emulator.env);
 * const sandbox = await Sandbox.create();
 */
export class E2BEmulator implements AsyncDisposable {
  /** What goes wrong on purpose. */
  readonly faults: Faults;
  /** Such as `http://127.0.0.1:49980`: the control plane, and envd by the SDK's headers. */
  readonly url: string;
  /** Of the sandboxes' hosts, with the port: `getHost()` is `<port>-<sandbox>.<domain>`. */
  readonly domain: string;
  /** How sandboxes are kept apart. */
  readonly isolation: Isolation;
  /** Why so: one sentence. */
  readonly isolationReason: string;
  /** In PEM form: what a client trusts that speaks https to a sandbox's host. */
  readonly certificate: string;
  /** As `fetch`, where the hosts of sandboxes are found and their certificate is trusted. */
  readonly fetch: AddressFetch;
  readonly #directory: string;
  readonly #door: FrontDoor;
  readonly #sandboxes: SandboxRegistry;
  #closed: Promise<void> | undefined;

  private constructor(parts: EmulatorParts) {
    this.faults = parts.faults;
    this.url = parts.url;
    this.domain = parts.domain;
    this.isolation = parts.isolation;
    this.isolationReason = parts.isolationReason;
    this.certificate = parts.certificate;
    this.fetch = createFetch(parts.certificate);
    this.#directory = parts.directory;
    this.#door = parts.door;
    this.#sandboxes = parts.sandboxes;
  }

  /**
   * Starts one, and clears away what emulators that are no more have left on this machine.
   *
   * @throws {Error} if the isolation that is asked for cannot be had, or an image not be got
   */
  static async start(options: E2BEmulatorOptions = {}): Promise<E2BEmulator> {
    const log = options.log ?? ((): void => {});
    await removeDeadDirectories(log);
    // One process may run several; the directory of each has a name of its own.
    const owner = await ownName();
    const directory = await makeStateDirectory(`${owner}-${randomUUID().slice(0, 8)}`);
    try {
      return new E2BEmulator(await startParts({ ...options, log, owner, directory }));
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Variables that lead the SDK here. */
  get env(): E2BEnvironment {
    return { E2B_API_URL: this.url, E2B_SANDBOX_URL: this.url, E2B_API_KEY: API_KEY, E2B_DOMAIN: this.domain };
  }

  /** Variables by which a Node process finds the hosts of sandboxes and trusts them, its own `fetch` included. */
  get nodeEnv(): { readonly NODE_OPTIONS: string; readonly NODE_EXTRA_CA_CERTS: string } {
    return {
      NODE_OPTIONS: `--require=${JSON.stringify(LOCALHOST_NAMES_PROGRAM)}`,
      NODE_EXTRA_CA_CERTS: join(this.#directory, CERTIFICATE_FILE),
    };
  }

  /** Ends all sandboxes and removes everything of theirs. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#sandboxes.close();
    await this.#door.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

interface EmulatorParts {
  readonly faults: Faults;
  readonly url: string;
  readonly domain: string;
  readonly isolation: Isolation;
  readonly isolationReason: string;
  readonly certificate: string;
  readonly directory: string;
  readonly door: FrontDoor;
  readonly sandboxes: SandboxRegistry;
}

interface StartOptions extends E2BEmulatorOptions {
  readonly log: (message: string) => void;
  readonly owner: string;
  readonly directory: string;
}

async function startParts(options: StartOptions): Promise<EmulatorParts> {
  const { host = '127.0.0.1', port = 0, isolation = 'auto', domainName = 'e2b' } = options;
  const { envdPath, directory, owner, log } = options;
  const { roots, why } = await chooseRoots(isolation, { directory, owner, envdPath, log });
  await roots.removeLeftovers();
  const templates = new Templates(options.templates ?? DEFAULT_TEMPLATES);
  await Promise.all(templates.all.map((template) => roots.prepare(template.options)));
  const sandboxes = new SandboxRegistry(roots, log);
  const faults = new Faults();
  const certificate = makeCertificate(`${domainName}.localhost`);
  await writeFile(join(directory, CERTIFICATE_FILE), certificate.certificate);
  let domain = '';
  const control = new ControlPlane({ sandboxes, templates, faults, domain: () => domain, log });
  const traffic = new Traffic({ control, proxy: new SandboxProxy(sandboxes), sandboxes, faults, log });
  const door = await FrontDoor.open({
    host,
    port,
    certificate,
    onRequest: (request, response) => traffic.onRequest(request, response),
    onUpgrade: (request, socket, head) => traffic.onUpgrade(request, socket, head),
  });
  domain = `${domainName}.localhost:${door.port}`;
  log(`sandboxes are isolated by ${roots.kind}: ${why}`);
  return {
    faults,
    url: `http://${reachableHost(host)}:${door.port}`,
    domain,
    isolation: roots.kind,
    isolationReason: why,
    certificate: certificate.certificate,
    directory,
    door,
    sandboxes,
  };
}

/** What listens on all addresses is reached by loopback. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

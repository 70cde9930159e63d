import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type Docker from 'dockerode';

const run = promisify(execFile);
/** Lower than any that the kernel makes up. */
const LOWEST_ADDRESS = '02:00:00:00:00:01';

/** Why no bridge can be made here, or nothing. */
export async function whyNoBridge(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it takes Linux';
  if (process.getuid?.() !== 0) return 'it takes root';
  try {
    await run('ip', ['-V']);
    return undefined;
  } catch (error) {
    return `it takes the command ip (${error instanceof Error ? error.message.trim() : String(error)})`;
  }
}

/**
 * A network of the engine's on a bridge that was given no address. The kernel gives it the lowest of its
 * interfaces', and another one when that interface goes, as it does with its container. The other
 * containers are not told: what they send goes nowhere until they hear from the bridge.
 */
export class MovingBridge implements AsyncDisposable {
  readonly network: string;
  readonly #docker: Docker;
  readonly #bridge: string;
  readonly #lowest: string;
  #hasMoved = false;

  private constructor(docker: Docker) {
    const suffix = randomBytes(4).toString('hex');
    this.#docker = docker;
    this.network = `aw-moving-${suffix}`;
    this.#bridge = `awm-${suffix}`;
    this.#lowest = `awm-${suffix}-0`;
  }

  static async make(docker: Docker): Promise<MovingBridge> {
    const made = new MovingBridge(docker);
    const lowest = made.#lowest;
    await run('ip', ['link', 'add', made.#bridge, 'type', 'bridge']);
    await run('ip', ['link', 'add', lowest, 'address', LOWEST_ADDRESS, 'type', 'veth', 'peer', 'name', `${lowest}p`]);
    await run('ip', ['link', 'set', lowest, 'master', made.#bridge, 'up']);
    await docker.createNetwork({ Name: made.network, Options: { 'com.docker.network.bridge.name': made.#bridge } });
    return made;
  }

  async address(): Promise<string> {
    const { stdout } = await run('ip', ['-json', 'link', 'show', this.#bridge]);
    const [link] = JSON.parse(stdout) as readonly { readonly address: string }[];
    return link?.address ?? '';
  }

  /** Takes the interface away whose address it has. */
  async move(): Promise<void> {
    this.#hasMoved = true;
    await run('ip', ['link', 'delete', this.#lowest]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#docker.getNetwork(this.network).remove();
    if (!this.#hasMoved) await run('ip', ['link', 'delete', this.#lowest]);
    await run('ip', ['link', 'delete', this.#bridge]);
  }
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { PROGRAM_DIRECTORY } from '../program-files.ts';
import { dialRelay } from './dial-relay.ts';
import { findHierarchy, Freezer } from './freezer.ts';
import { InitProcess } from './init-process.ts';
import { INIT_SCRIPT, initScript, RELAY_SOCKET } from './inside.ts';
import { NAMESPACE_SCRIPT } from './namespace-script.ts';
import { isOwnerAlive } from './owner.ts';
import type { RootContext, RootProvider, RootRequest } from './root-provider.ts';
import type { SandboxRoot } from './sandbox-root.ts';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Before a sandbox's id in the name of its control group, with the emulator's name between. */
const GROUP_PREFIX = 'e2b-emulator:';

/** Namespaces of the kernel, with this machine's disk, copied on write, for every template. */
export class NamespaceRoots implements RootProvider {
  readonly kind = 'namespaces';
  readonly #context: RootContext;

  constructor(context: RootContext) {
    this.#context = context;
  }

  /** This machine's disk is the only template. */
  async prepare(): Promise<void> {}

  async create({ sandboxId }: RootRequest): Promise<SandboxRoot> {
    const { owner, envdPath, log } = this.#context;
    const directory = join(this.#context.directory, sandboxId);
    await mkdir(join(directory, 'shared'), { recursive: true });
    await writeFile(join(directory, 'shared', INIT_SCRIPT), initScript(envdPath));
    await writeFile(join(directory, 'namespaces.sh'), NAMESPACE_SCRIPT);
    const freezer = await Freezer.create(`${GROUP_PREFIX}${owner}:${sandboxId}`);
    if (freezer === undefined) throw new Error('No control group could be made for the sandbox.');
    const own = [join(directory, 'namespaces.sh'), directory, process.execPath, PROGRAM_DIRECTORY, envdPath ?? ''];
    const unshare = [
      '--mount',
      '--uts',
      '--ipc',
      '--net',
      '--pid',
      '--fork',
      '--kill-child',
      '--propagation',
      'private',
    ];
    const enter = 'echo 0 > "$0/cgroup.procs"; exec unshare "$@"';
    const child = spawn('/bin/sh', ['-c', enter, freezer.path, ...unshare, '/bin/sh', ...own], {
      cwd: '/',
      env: { PATH },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => log(`${sandboxId}: ${text.trimEnd()}`));
    try {
      await once(child, 'spawn');
    } catch (error) {
      await freezer.remove();
      throw error;
    }
    return new NamespaceRoot(directory, child, freezer);
  }

  async removeLeftovers(): Promise<void> {
    const hierarchy = await findHierarchy();
    if (hierarchy === undefined) return;
    for (const name of await readdir(hierarchy)) {
      if (!name.startsWith(GROUP_PREFIX)) continue;
      const [owner = ''] = name.slice(GROUP_PREFIX.length).split(':');
      if (await isOwnerAlive(owner)) continue;
      this.#context.log(`removing the sandbox ${basename(name)} of an emulator that is no more`);
      await Freezer.at(join(hierarchy, name)).remove();
    }
  }
}

class NamespaceRoot implements SandboxRoot {
  readonly kind = 'namespaces';
  readonly #directory: string;
  readonly #init: InitProcess;
  readonly #freezer: Freezer;

  constructor(directory: string, child: ChildProcessWithoutNullStreams, freezer: Freezer) {
    this.#directory = directory;
    this.#init = new InitProcess(child.stdin, child.stdout);
    this.#freezer = freezer;
  }

  connect(port: number): Promise<Socket> {
    return dialRelay(join(this.#directory, 'shared', RELAY_SOCKET), port);
  }

  async boot(): Promise<void> {
    this.#init.boot();
  }

  /** Its network is its own, and leads nowhere. */
  async setInternetAccess(): Promise<void> {}

  pause(): Promise<void> {
    return this.#freezer.freeze();
  }

  resume(): Promise<void> {
    return this.#freezer.thaw();
  }

  stopProcesses(): Promise<void> {
    return this.#init.stop();
  }

  async destroy(): Promise<void> {
    this.#init.end();
    await this.#freezer.remove();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

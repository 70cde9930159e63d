import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@agent-workspace/core';
import { DockerSandbox } from '../../src/docker-sandbox.ts';
import type { DockerContainerOptions } from '../../src/index.ts';

/** A container that runs, with a directory of this host as its workdir. */
export interface PooledContainer {
  readonly sandbox: DockerSandbox;
  readonly directory: string;
}

/** Containers that tests have one after the other, each empty at first. */
export class ContainerPool {
  readonly #options: DockerContainerOptions;
  readonly #idle: PooledContainer[] = [];
  readonly #made: PooledContainer[] = [];
  /** Being emptied. One that could not be fails whoever waits for it. */
  readonly #cleaning = new Set<Promise<void>>();

  constructor(options: DockerContainerOptions) {
    this.#options = options;
  }

  /** An empty one, made where none is to be had. */
  async take(): Promise<PooledContainer> {
    while (this.#idle.length === 0 && this.#cleaning.size > 0) await Promise.race(this.#cleaning);
    return this.#idle.pop() ?? this.#make();
  }

  /** Takes it back, and empties it meanwhile. */
  giveBack(container: PooledContainer): void {
    const cleaning = this.#clean(container).finally(() => this.#cleaning.delete(cleaning));
    this.#cleaning.add(cleaning);
    // Whoever waits for it, or the end of the pool, hears of it.
    cleaning.catch(() => undefined);
  }

  /** Removes all of them, those in use included. */
  async end(): Promise<void> {
    const cleaned = await Promise.allSettled(this.#cleaning);
    await Promise.all(
      this.#made.map(async ({ sandbox, directory }) => {
        await sandbox.destroy();
        await rm(directory, { recursive: true, force: true });
      }),
    );
    for (const result of cleaned) if (result.status === 'rejected') throw result.reason;
  }

  async #make(): Promise<PooledContainer> {
    const parent = await mkdtemp(join(tmpdir(), 'aw-pool-'));
    // Made by the sandbox, and so its user's.
    const workdir = join(parent, 'workspace');
    const logger = silentLogger;
    const sandbox = new DockerSandbox({ ...this.#options, workdir, newWorkspaceId: randomUUID(), logger });
    const { signal } = new AbortController();
    await sandbox.start({ signal });
    this.#made.push({ sandbox, directory: parent });
    return { sandbox, directory: workdir };
  }

  /** Its processes ended when its last workspace was closed; its files are here to be removed, which takes no exec. */
  async #clean(container: PooledContainer): Promise<void> {
    const { directory } = container;
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
    const left = await readdir(directory);
    if (left.length > 0) throw new Error(`A workspace could not be emptied: ${left.join(', ')}`);
    this.#idle.push(container);
  }
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@agent-workspace/core';
import { fixtureServerSource } from '@agent-workspace/testing';
import type { KubernetesPodOptions } from '../../src/index.ts';
import { KubernetesSandbox } from '../../src/kubernetes-sandbox.ts';
import { removeFiles } from './clean-pod.ts';

/** In each Pod, outside of what a test empties. */
export const FIXTURE_SERVERS = '/run/agent-workspace/fixtures/servers.mjs';

/** Pods that tests have one after the other, each empty at first. */
export class PodPool {
  readonly #options: KubernetesPodOptions;
  readonly #idle: KubernetesSandbox[] = [];
  /** Being emptied. One that could not be fails whoever waits for it. */
  readonly #cleaning = new Set<Promise<void>>();

  constructor(options: KubernetesPodOptions) {
    this.#options = options;
  }

  /** An empty one, made where none is to be had. */
  async take(): Promise<KubernetesSandbox> {
    while (this.#idle.length === 0 && this.#cleaning.size > 0) await Promise.race(this.#cleaning);
    return this.#idle.pop() ?? this.#make();
  }

  /** Takes it back, and empties it meanwhile. */
  giveBack(sandbox: KubernetesSandbox): void {
    const cleaning = this.#clean(sandbox).finally(() => this.#cleaning.delete(cleaning));
    this.#cleaning.add(cleaning);
    // Whoever waits for it, or the end of the pool, hears of it.
    cleaning.catch(() => undefined);
  }

  /** Settles when all are clean; their Pods go with the namespace. */
  async end(): Promise<void> {
    await Promise.all(this.#cleaning);
  }

  async #make(): Promise<KubernetesSandbox> {
    const sandbox = new KubernetesSandbox({ ...this.#options, workspaceId: randomUUID(), logger: silentLogger });
    await sandbox.start({ signal: new AbortController().signal });
    const directory = await mkdtemp(join(tmpdir(), 'aw-fixtures-'));
    const source = join(directory, 'servers.mjs');
    await writeFile(source, await fixtureServerSource());
    await sandbox.putFile({ path: FIXTURE_SERVERS, source });
    await rm(directory, { recursive: true });
    return sandbox;
  }

  /** Its processes ended when its last workspace was closed. */
  async #clean(sandbox: KubernetesSandbox): Promise<void> {
    await removeFiles((argv) => sandbox.run(argv));
    this.#idle.push(sandbox);
  }
}

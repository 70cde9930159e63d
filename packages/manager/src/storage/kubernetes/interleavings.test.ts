import { KubernetesRefusedError } from '@agent-workspace/core';
import { ClusterConnection } from '@agent-workspace/kubernetes';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KubernetesStorage } from './kubernetes-storage.ts';

const ROUNDS = 200;
const LONG_MS = 60_000;

/**
 * The Leases of a namespace, whose answers come in any order: what a real cluster does too seldom to be waited for.
 * Each request takes effect at one moment between its question and its answer.
 */
class AnyOrder {
  readonly #objects = new Map<string, PlainLease>();
  readonly #random: () => number;
  #version = 0;
  readonly namespace = 'test';
  /** Keeps those that come meanwhile from taking effect. */
  beforeListing: Promise<void> | undefined;
  listings = 0;
  readonly coordination = {
    readNamespacedLease: ({ name }: Named): Promise<PlainLease> => this.#do(() => this.#get(name)),
    listNamespacedLease: async ({ labelSelector }: Selected): Promise<{ items: PlainLease[] }> => {
      this.listings += 1;
      await this.beforeListing;
      const select = (object: PlainLease): boolean => isSelected(object, labelSelector);
      return await this.#do(() => ({ items: [...this.#objects.values()].filter(select) }));
    },
    createNamespacedLease: ({ body }: Written): Promise<PlainLease> =>
      this.#do(() => {
        const name = body.metadata?.name ?? '';
        if (this.#objects.has(name)) throw refused(409);
        return this.#put(name, { ...body, metadata: { ...body.metadata, uid: `uid-${this.#version}` } });
      }),
    replaceNamespacedLease: ({ name, body }: Named & Written): Promise<PlainLease> =>
      this.#do(() => {
        this.#check(name, body.metadata ?? {});
        return this.#put(name, body);
      }),
    deleteNamespacedLease: ({
      name,
      body,
    }: Named & { readonly body: { readonly preconditions: Version } }): Promise<object> =>
      this.#do(() => {
        this.#check(name, body.preconditions);
        this.#objects.delete(name);
        return {};
      }),
  };

  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return this.#objects.size;
  }

  async call<T>(_operation: string, request: (options: object) => Promise<T>): Promise<T> {
    return await request({});
  }

  async #do<T>(work: () => T): Promise<T> {
    await this.#hop();
    const result = work();
    await this.#hop();
    return structuredClone(result);
  }

  async #hop(): Promise<void> {
    // Most are quick, and some come after much else.
    const longest = this.#random() < 0.1 ? 100 : 6;
    for (let hops = Math.floor(this.#random() * longest); hops > 0; hops -= 1) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  }

  #get(name: string): PlainLease {
    const object = this.#objects.get(name);
    if (object === undefined) throw refused(404);
    return object;
  }

  #check(name: string, { uid, resourceVersion }: Version): void {
    const { metadata } = this.#get(name);
    if (metadata?.uid !== uid || metadata?.resourceVersion !== resourceVersion) throw refused(409);
  }

  #put(name: string, object: PlainLease): PlainLease {
    this.#version += 1;
    const put = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.#objects.set(name, put);
    return put;
  }
}

/** As it is in JSON. */
interface PlainLease {
  readonly metadata?: Version & {
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}
interface Named {
  readonly name: string;
}
interface Selected {
  readonly labelSelector: string;
}
interface Written {
  readonly body: PlainLease;
}
interface Version {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

function refused(status: number): KubernetesRefusedError {
  return new KubernetesRefusedError({ operation: 'do it', reason: 'as told', status });
}

function isSelected({ metadata }: PlainLease, selector: string): boolean {
  return selector.split(',').every((part) => {
    const [label = '', value] = part.split('=');
    return metadata?.labels?.[label] === value;
  });
}

/** The same numbers for the same seed. @see https://en.wikipedia.org/wiki/Linear_congruential_generator */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('KubernetesStorage, in whatever order a cluster does what it is asked', { timeout: 120_000 }, () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Storages on one cluster, while another one collects without end. */
  async function collecting(
    seed: number,
    work: (open: () => KubernetesStorage, random: () => number) => Promise<void>,
  ): Promise<AnyOrder> {
    const random = randomOf(seed);
    const cluster = new AnyOrder(random);
    vi.spyOn(ClusterConnection, 'open').mockResolvedValue(cluster as unknown as ClusterConnection);
    const open = (): KubernetesStorage => new KubernetesStorage({ collectIntervalMs: 0 });
    const collector = open();
    let isDone = false;
    const collected = (async () => {
      while (!isDone) await collector.heartbeat({ replicaId: 'collector', ttlMs: LONG_MS });
    })();
    try {
      await work(open, random);
    } finally {
      isDone = true;
      await collected;
      await collector.close();
    }
    return cluster;
  }

  it('gives one lease at a time, with a fence that grows over every end of an object', async () => {
    for (let seed = 1; seed <= ROUNDS / 8; seed += 1) {
      const fences: number[] = [];
      let holders = 0;
      await collecting(seed, async (open, random) => {
        const replicas = ['r-1', 'r-2', 'r-3'].map(async (replicaId) => {
          const storage = open();
          for (let round = 0; round < 10; round += 1) {
            const lease = await storage.acquireLease('w', { replicaId, ttlMs: LONG_MS });
            if (lease === undefined) continue;
            holders += 1;
            expect(holders, `with seed ${seed}`).toBe(1);
            fences.push(lease.fence);
            if (random() < 0.5) await storage.attach(lease, replicaId);
            if (random() < 0.5) await storage.forget('w');
            expect(await storage.renewLease(lease, { replicaId, ttlMs: LONG_MS })).toBe(true);
            holders -= 1;
            await storage.releaseLease(lease);
            await storage.detach('w', replicaId);
          }
        });
        await Promise.all(replicas);
      });
      expect(fences.length).toBeGreaterThan(0);
      expect(fences, `with seed ${seed}`).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
    }
  });

  it('binds a key once for all, whatever is collected meanwhile', async () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      await collecting(seed, async (open) => {
        const storages = [open(), open(), open()];
        const bound = await Promise.all(storages.map((storage, index) => storage.bind('b', `w-${index % 2}`)));
        expect(new Set(bound).size, `with seed ${seed}`).toBe(1);
        expect(await storages[0]?.findBinding('b'), `with seed ${seed}`).toBe(bound[0]);
      });
    }
  });

  it('removes no binding that was made after its workspace was forgotten', async () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      await collecting(seed, async (open) => {
        const [one, two, three] = [open(), open(), open()];
        await one.bind('b', 'w');
        await Promise.all([one.forget('w'), two.forget('w'), three.bind('b', 'w')]);
        const forgetting = two.forget('other');
        const rebound = await three.bind('b', 'w');
        await forgetting;
        expect(await one.findBinding('b'), `with seed ${seed}`).toBe(rebound);
      });
    }
  });

  it('lets one who is slow to forget remove nothing of a later life', async () => {
    const cluster = new AnyOrder(randomOf(1));
    vi.spyOn(ClusterConnection, 'open').mockResolvedValue(cluster as unknown as ClusterConnection);
    const [one, two, three] = [new KubernetesStorage(), new KubernetesStorage(), new KubernetesStorage()];
    await one.claim('w', 'u');
    const { promise, resolve } = Promise.withResolvers<void>();
    cluster.beforeListing = promise;
    const forgetting = one.forget('w');
    await expect.poll(() => cluster.listings).toBe(1);
    cluster.beforeListing = undefined;
    await two.forget('w');
    await three.bind('b', 'w');
    resolve();
    await forgetting;
    expect(await two.findBinding('b')).toBe('w');
  });

  it('records one owner, and leaves nothing of what was forgotten', async () => {
    for (let seed = 1; seed <= ROUNDS / 2; seed += 1) {
      const cluster = await collecting(seed, async (open) => {
        const [one, two] = [open(), open()];
        const owners = await Promise.all([one.claim('w', 'u'), two.claim('w', 'v'), one.bind('b', 'w')]);
        expect(owners[0]).toBe(owners[1]);
        expect(await one.findOwner('w')).toBe(owners[0]);
        await two.forget('w');
        await vi.waitFor(async () => {
          expect([await one.findOwner('w'), await one.findBinding('b')]).toEqual([undefined, undefined]);
        });
      });
      // The service, the collector, and at most what the last turn has left for the next.
      expect(cluster.size, `with seed ${seed}`).toBeLessThanOrEqual(3);
    }
  });
});

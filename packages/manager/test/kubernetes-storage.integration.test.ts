import { execFile } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WorkLease } from '../src/index.ts';
import { KubernetesStorage, type KubernetesStorageOptions } from '../src/kubernetes/index.ts';
import { CuttableServer } from './support/cuttable-server.ts';
import { hasCluster, kubeconfigOf, TestNamespace } from './support/kubernetes-cluster.ts';
import { describeStorageContract } from './support/storage-contract.ts';
import { WAIT } from './support/wait.ts';

const run = promisify(execFile);
const LONG_MS = 60_000;
const DAY_MS = 86_400_000;
/** Of what has to be over for one who looks twice. */
const SHORT_MS = 40;
const SLOW = { timeout: 180_000 };

describe.skipIf(!hasCluster)('on Kubernetes', () => {
  let namespace: TestNamespace;
  let services = 0;

  beforeAll(async () => {
    namespace = await TestNamespace.create('storage');
  });

  afterAll(() => namespace[Symbol.asyncDispose]());

  afterEach(() => void vi.useRealTimers());

  function open(service: string, options: KubernetesStorageOptions = {}): KubernetesStorage {
    return new KubernetesStorage({ ...namespace.connection, service, ...options });
  }

  /** Another service's name for each test. */
  function newService(): string {
    services += 1;
    return `service-${services}`;
  }

  async function lease(storage: KubernetesStorage, workspaceId: string, replicaId = 'r-1'): Promise<WorkLease> {
    const taken = await storage.acquireLease(workspaceId, { replicaId, ttlMs: LONG_MS });
    if (taken === undefined) throw new Error('Another replica has the lease.');
    return taken;
  }

  describeStorageContract('Kubernetes', { open: async (place) => open(place) });

  describe('KubernetesStorage', () => {
    it('keeps each record in a Lease object, for a person to see who works on what', async () => {
      const service = newService();
      const storage = open(service);
      const id = 'any id: ü/😀\0';
      await storage.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS });
      await storage.bind(id, id);
      await storage.claim(id, 'user 1');
      await lease(storage, id);
      const objects = await namespace.leases(service);
      expect(objects.map(({ kind, holder }) => [kind, holder])).toEqual([
        ['binding', undefined],
        ['replica', 'r-1'],
        ['workspace', 'r-1'],
      ]);
      for (const { name } of objects) expect(name).toMatch(/^aw-[a-z]-[0-9a-v]{52}$/);
      expect(objects.find(({ kind }) => kind === 'workspace')?.record).toMatchObject({ id, owner: 'user 1' });
    });

    it('keeps services of a namespace apart, whatever their names', async () => {
      const [one, two] = [open('Ä service'), open('A service')];
      await one.claim('w', 'u');
      expect(await two.findOwner('w')).toBeUndefined();
      expect(await one.managerId()).not.toBe(await two.managerId());
    });

    it('takes no lease for over because a clock goes before or after its own', async () => {
      const service = newService();
      const [slow, fast] = [open(service), open(service)];
      const other = { replicaId: 'r-2', ttlMs: LONG_MS };
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - DAY_MS });
      await slow.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS });
      const held = await lease(slow, 'w');
      await slow.attach(held, 'r-1');
      vi.setSystemTime(Date.now() + 2 * DAY_MS);
      expect(await fast.acquireLease('w', other)).toBeUndefined();
      expect(await fast.listAttached('w')).toEqual(['r-1']);
      // It is looked at again, still a day later.
      vi.setSystemTime(Date.now() + DAY_MS);
      expect(await fast.acquireLease('w', other)).toBeUndefined();
      expect(await fast.listAttached('w')).toEqual(['r-1']);
      expect(await slow.renewLease(held, { replicaId: 'r-1', ttlMs: LONG_MS })).toBe(true);
      expect(await slow.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS })).toBe(true);
    });

    it('takes a lease for over that its holder, of whatever clock, does not renew', async () => {
      const service = newService();
      const [dead, other] = [open(service), open(service)];
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS });
      await dead.acquireLease('w', { replicaId: 'r-1', ttlMs: SHORT_MS });
      vi.setSystemTime(Date.now() - 2 * DAY_MS);
      // Whoever looks for the first time has not seen it for long.
      expect(await other.acquireLease('w', { replicaId: 'r-2', ttlMs: LONG_MS })).toBeUndefined();
      await expect.poll(() => other.acquireLease('w', { replicaId: 'r-2', ttlMs: LONG_MS }), WAIT).toBeDefined();
    });

    it('takes a lease that is renewed for held, however short it is and whatever else is changed', async () => {
      const service = newService();
      const [holder, other] = [open(service), open(service)];
      // Longer than a look takes on a machine that has much else to do.
      const ttlMs = 5_000;
      const held = await holder.acquireLease('w', { replicaId: 'r-1', ttlMs });
      if (held === undefined) throw new Error('There is no lease.');
      const until = performance.now() + 2 * ttlMs;
      while (performance.now() < until) {
        expect(await holder.renewLease(held, { replicaId: 'r-1', ttlMs })).toBe(true);
        expect(await other.acquireLease('w', { replicaId: 'r-2', ttlMs })).toBeUndefined();
      }
      // Now only others change it.
      let taken: WorkLease | undefined;
      for (let round = 0; taken === undefined; round += 1) {
        expect(performance.now() - until).toBeLessThan(WAIT.timeout);
        await other.detach('w', `r-${round}`);
        await other.claim('w', `u-${round}`);
        taken = await other.acquireLease('w', { replicaId: 'r-2', ttlMs });
      }
      expect(taken.fence).toBe(held.fence + 1);
    });

    it('tells a replica that it was taken for dead, even one whose own clock stood still', async () => {
      const service = newService();
      const [one, two] = [open(service), open(service)];
      await one.heartbeat({ replicaId: 'r-1', ttlMs: SHORT_MS });
      await one.attach(await lease(one, 'w'), 'r-1');
      await expect.poll(() => two.listAttached('w'), WAIT).toEqual([]);
      // For all others as well, at their first look.
      expect(await open(service).listAttached('w')).toEqual([]);
      expect(await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS })).toBe(false);
      expect(await one.heartbeat({ replicaId: 'r-1', ttlMs: LONG_MS })).toBe(true);
    });

    it('lets no binding come to life again that was made before its workspace was forgotten', async () => {
      const service = newService();
      const storage = open(service);
      await storage.bind('session', 'w');
      const [binding] = await namespace.leases(service, 'binding');
      await storage.forget('w');
      expect(await namespace.leases(service, 'binding')).toEqual([]);
      // As if whoever has forgotten it was killed before the binding was removed.
      await namespace.restore(binding);
      await storage.claim('w', 'another user');
      expect(await storage.findBinding('session')).toBeUndefined();
      expect(await storage.bind('session', 'v')).toBe('v');
      expect(await storage.findBinding('session')).toBe('v');
    });

    it('tells of many workspaces at once what it tells of each', async () => {
      const storage = open(newService());
      const ids = Array.from({ length: 60 }, (_, index) => `w-${index}`);
      await Promise.all(ids.map((id) => storage.claim(id, `owner of ${id}`)));
      const owners = await Promise.all(['nobodys', ...ids].map((id) => storage.findOwner(id)));
      expect(owners).toEqual([undefined, ...ids.map((id) => `owner of ${id}`)]);
    });

    it('is shared by processes that begin and write at the same time', SLOW, async () => {
      const rounds = 20;
      const program = fileURLToPath(new URL('fixtures/bind-many.ts', import.meta.url));
      const { kubeconfig, namespace: place } = namespace.connection;
      const processes = await Promise.all(
        ['one', 'two', 'three'].map((name) =>
          run(process.execPath, [program, 'kubernetes', `${kubeconfig}:${place}`, name, String(rounds)]),
        ),
      );
      const results = processes.map(
        ({ stdout }) => JSON.parse(stdout) as { managerId: string; bound: string[]; fences: number[] },
      );
      expect(new Set(results.map(({ managerId }) => managerId)).size).toBe(1);
      expect(results.map(({ bound }) => bound)).toEqual(results.map(() => results[0]?.bound));
      const fences = results.flatMap((result) => result.fences);
      expect(new Set(fences).size).toBe(fences.length);
      expect(Math.max(...fences)).toBe(fences.length);
    });
  });

  describe('what is of no use any more', () => {
    /** Lets a storage collect until something is so. */
    async function collectUntil(storage: KubernetesStorage, isSo: () => Promise<void>): Promise<void> {
      await vi.waitFor(
        async () => {
          await storage.heartbeat({ replicaId: 'collector', ttlMs: LONG_MS });
          await isSo();
        },
        { ...WAIT, interval: 20 },
      );
      await storage.close();
    }

    it('is collected: dead replicas, and workspaces without owner, binding, lease and replica', SLOW, async () => {
      const service = newService();
      const storage = open(service, { collectIntervalMs: 1 });
      const replica = { replicaId: 'r-1', ttlMs: LONG_MS };
      await storage.heartbeat(replica);
      await storage.heartbeat({ replicaId: 'dead', ttlMs: SHORT_MS });
      await storage.claim('owned', 'u');
      await storage.bind('session', 'bound');
      await storage.markSlot('slot');
      await lease(storage, 'leased');
      for (const [workspaceId, replicaIds] of Object.entries({
        attached: ['r-1'],
        'of-the-dead': ['dead'],
        left: [],
      })) {
        const held = await lease(storage, workspaceId);
        for (const replicaId of replicaIds) await storage.attach(held, replicaId);
        await storage.releaseLease(held);
      }
      await storage.claim('forgotten', 'u');
      await storage.bind('old session', 'forgotten');
      await storage.forget('forgotten');
      await collectUntil(storage, async () => {
        const left = await namespace.leases(service);
        expect(left.map(({ kind, record }) => `${kind} ${String(record['id'])}`)).toEqual([
          'binding session',
          'replica collector',
          'replica r-1',
          `service ${service}`,
          'workspace attached',
          'workspace bound',
          'workspace leased',
          'workspace owned',
          'workspace slot',
        ]);
      });
      expect(await storage.isSlot('slot')).toBe(true);
      expect(await storage.findBinding('session')).toBe('bound');
      expect(await storage.findOwner('owned')).toBe('u');
      expect(await storage.listAttached('attached')).toEqual(['r-1']);
      expect(await open(service).acquireLease('leased', { replicaId: 'r-2', ttlMs: 1 })).toBeUndefined();
    });

    it('leaves its fence behind: it grows for ever, over the end of the object', SLOW, async () => {
      const service = newService();
      const storage = open(service, { collectIntervalMs: 1 });
      const fences: number[] = [];
      for (let life = 0; life < 3; life += 1) {
        for (let count = 0; count < 3; count += 1) {
          const held = await lease(storage, 'w');
          fences.push(held.fence);
          await storage.claim('w', 'u');
          await storage.forget('w');
          await storage.releaseLease(held);
        }
        await collectUntil(storage, async () => expect(await namespace.leases(service, 'workspace')).toEqual([]));
      }
      expect(fences).toEqual(fences.toSorted((a, b) => a - b));
      expect(new Set(fences).size).toBe(fences.length);
      // What a holder does too late is refused, also where there is no object.
      expect(await storage.attach({ workspaceId: 'w', fence: fences.at(-1) ?? 0 }, 'r-1')).toBe(false);
      const again = await lease(storage, 'w');
      expect(await storage.renewLease({ ...again, fence: 1 }, { replicaId: 'r-1', ttlMs: LONG_MS })).toBe(false);
    });

    it('is never what somebody is just binding', SLOW, async () => {
      const service = newService();
      const replicas = [open(service), open(service)];
      const collector = open(service, { collectIntervalMs: 1 });
      let isDone = false;
      const collecting = (async () => {
        while (!isDone) await collector.heartbeat({ replicaId: 'collector', ttlMs: LONG_MS });
      })();
      try {
        for (let round = 0; round < 20; round += 1) {
          const binding = `session-${round}`;
          const racing = replicas.map((replica, index) => replica.bind(binding, `w-${round}-${index}`));
          const [one, other] = await Promise.all(racing);
          expect(one).toBe(other);
          expect(await collector.findBinding(binding)).toBe(one);
        }
        for (let round = 0; round < 20; round += 1) {
          expect(await collector.findBinding(`session-${round}`)).toMatch(`w-${round}-`);
        }
      } finally {
        isDone = true;
        await collecting;
        await collector.close();
      }
    });

    it('is looked for by one replica in each turn', SLOW, async () => {
      const service = newService();
      const replicas = Array.from({ length: 3 }, () => open(service, { collectIntervalMs: 1_000 }));
      const turns = async (): Promise<number> =>
        Number((await namespace.leases(service, 'service'))[0]?.record['turns'] ?? 0);
      const since = performance.now();
      await vi.waitFor(
        async () => {
          const options = { replicaId: 'r', ttlMs: LONG_MS };
          await Promise.all(replicas.map((replica) => replica.heartbeat(options)));
          expect(await turns()).toBeGreaterThanOrEqual(2);
        },
        { ...WAIT, interval: 20 },
      );
      expect(await turns()).toBeLessThanOrEqual((performance.now() - since) / 1_000);
      await Promise.all(replicas.map((replica) => replica.close()));
    });
  });

  describe('a cluster that does not answer', () => {
    const failed = (operation: string): object => ({
      code: 'manager-storage-failed',
      details: { storage: 'kubernetes', operation },
      isRetryable: true,
    });

    it('is told where nothing listens, and where nothing is said in time', async () => {
      const sockets: Socket[] = [];
      const server = createServer((socket) => void sockets.push(socket));
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const silent = open('default', {
        kubeconfig: kubeconfigOf({ server: `https://127.0.0.1:${port}` }),
        timeoutMs: 200,
      });
      await expect(silent.findOwner('w')).rejects.toMatchObject(failed('findOwner'));
      await expect(silent.findOwner('w')).rejects.toThrow('within 200 ms');
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
      const away = open('default', { kubeconfig: kubeconfigOf({ server: `https://127.0.0.1:${port}` }) });
      await expect(away.heartbeat({ replicaId: 'r', ttlMs: 1 })).rejects.toMatchObject(failed('heartbeat'));
      await expect(away.bind('b', 'w')).rejects.toThrow('ECONNREFUSED');
    });

    it('is told in the middle of things, and all goes on when it is back', SLOW, async () => {
      await using server = await CuttableServer.start(namespace.connection.kubeconfig);
      const storage = open(newService(), { kubeconfig: server.kubeconfig, timeoutMs: 2_000 });
      const replica = { replicaId: 'r-1', ttlMs: LONG_MS };
      await storage.heartbeat(replica);
      const held = await lease(storage, 'w');
      server.cut();
      await expect(storage.heartbeat(replica)).rejects.toMatchObject(failed('heartbeat'));
      await expect(storage.renewLease(held, replica)).rejects.toMatchObject(failed('renewLease'));
      server.open();
      await expect.poll(() => storage.heartbeat(replica).catch(() => 'away'), WAIT).toBe(true);
      await expect.poll(() => storage.attach(held, 'r-1').catch(() => 'away'), WAIT).toBe(true);
      expect(await storage.listAttached('w')).toEqual(['r-1']);
    });

    it('is told with what the cluster says, where it refuses', async () => {
      const storage = open('default', { namespace: 'aw-test-that-is-not-there' });
      await expect(storage.claim('w', 'u')).rejects.toMatchObject(failed('claim'));
      await expect(storage.claim('w', 'u')).rejects.toThrow('namespaces "aw-test-that-is-not-there" not found');
    });

    it('is another thing than an option that means nothing', async () => {
      const storage = open('default', { context: 'unknown' });
      await expect(storage.findOwner('w')).rejects.toMatchObject({ code: 'kubernetes-options-invalid' });
    });
  });

  describe('with no more rights than it needs', () => {
    it('does all that it does, and cannot look elsewhere', SLOW, async () => {
      const restricted = await namespace.restrictedTo([
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: ['get', 'list', 'create', 'update', 'delete'],
        },
      ]);
      const service = newService();
      const storage = open(service, { kubeconfig: restricted, collectIntervalMs: 1 });
      await storage.managerId();
      await storage.bind('b', 'w');
      const held = await lease(storage, 'w');
      await storage.heartbeat({ replicaId: 'r-1', ttlMs: SHORT_MS });
      await storage.attach(held, 'r-1');
      await storage.claim('w', 'u');
      await storage.renewLease(held, { replicaId: 'r-1', ttlMs: LONG_MS });
      await expect.poll(() => storage.listAttached('w'), WAIT).toEqual([]);
      await storage.forget('w');
      await storage.releaseLease(held);
      await vi.waitFor(
        async () => {
          await storage.heartbeat({ replicaId: 'r-2', ttlMs: LONG_MS });
          expect(await namespace.leases(service, 'workspace')).toEqual([]);
        },
        { ...WAIT, interval: 20 },
      );
      await storage.close();
      const elsewhere = open(service, { kubeconfig: restricted, namespace: 'default' });
      await expect(elsewhere.findOwner('w')).rejects.toThrow('forbidden');
    });
  });
});

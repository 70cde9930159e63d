import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { KubernetesStorage, KubernetesWorkspaceManager } from '../src/kubernetes/index.ts';
import { hasCluster, TestNamespace } from './support/kubernetes-cluster.ts';
import { PodWatch } from './support/pod-watch.ts';
import { countAcknowledged, startReplica, stopReplica } from './support/replica-process.ts';
import { POD } from './support/kubernetes-pod.ts';

/** `REPLICA_TENANTS=50 REPLICA_SECONDS=60` makes a soak of it, whose figures are printed. */
const TENANTS = Number(process.env['REPLICA_TENANTS'] ?? 12);
const SECONDS = Number(process.env['REPLICA_SECONDS'] ?? 15);
/** At once, in each replica. */
const WORKERS = Number(process.env['REPLICA_WORKERS'] ?? 3);
/** The oldest replica each time, and another one takes its place. */
const KILLS = Math.max(1, Math.floor(SECONDS / 20));
const IS_SOAK = process.env['REPLICA_TENANTS'] !== undefined;
/** Opened at once at the end. */
const READERS = 4;
/** One that was killed counts as living for so long, from when it is first looked for. */
const DEAD_AFTER_MS = 30_000;

/** How a workspace that is being used may be taken away from whoever uses it. */
const EXPECTED_FAILURES = new Set([
  'workspace-closed',
  'command-ended',
  'gateway-connection-lost',
  'gateway-unreachable',
]);

const keyOf = (tenant: string) => ({ userId: tenant, agentId: 'agent', sessionId: 's' });

describe.skipIf(!hasCluster)('replicas of a service, on one cluster', () => {
  it(
    `keep ${TENANTS} tenants apart for ${SECONDS} s in which ${KILLS} are killed`,
    { timeout: (SECONDS + 300) * 1_000 },
    async () => {
      await using directory = await TemporaryDirectory.create();
      const acknowledged = directory.at('acknowledged');
      await using namespace = await TestNamespace.create('replicas');
      const storage = new KubernetesStorage(namespace.connection);
      const managerId = await storage.managerId();
      await using watch = await PodWatch.start(namespace, managerId);
      const processes: ChildProcess[] = [];
      const amount = { tenants: TENANTS, workers: WORKERS, acknowledged };
      const settings = { engine: 'kubernetes', ...namespace.connection, ...amount } as const;
      const start = (): Promise<ChildProcess> => startReplica(settings, processes);
      try {
        const living = await Promise.all([start(), start()]);
        let killedAt = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          await sleep((SECONDS * 1_000) / (KILLS + 1));
          const [victim] = living.splice(0, 1);
          const death = victim && once(victim, 'exit');
          victim?.kill('SIGKILL');
          await death;
          killedAt = performance.now();
          living.push(await start());
        }
        await sleep((SECONDS * 1_000) / (KILLS + 1));
        const reports = await Promise.all(living.map(stopReplica));

        expect(reports.flatMap(({ leaks }) => leaks)).toEqual([]);
        expect(reports.reduce((sum, { uses }) => sum + uses, 0)).toBeGreaterThan(0);
        for (const { failures } of reports) {
          expect(Object.keys(failures).filter((code) => !EXPECTED_FAILURES.has(code))).toEqual([]);
        }
        const left = await namespace.find({ managerId });
        await using manager = await KubernetesWorkspaceManager.open({ ...namespace.connection, ...POD });
        const settle = async (): Promise<number> => {
          await manager.reconcile();
          await manager.closeAll();
          return (await namespace.find({ managerId })).pods.length;
        };
        await expect.poll(settle, { timeout: DEAD_AFTER_MS + 120_000, interval: 2_000 }).toBe(0);
        const settledMs = performance.now() - killedAt;

        // The last of a killed one may be written and not acknowledged.
        const written = await countAcknowledged(acknowledged);
        const waiting = written.entries();
        const reading = Array.from({ length: READERS }, async () => {
          for (const [tenant, count] of waiting) {
            const { backend, workdir, workspaceId } = await manager.getWorkspace(keyOf(tenant));
            const text = Buffer.from((await backend.readFile(`${workdir}/tenants`)).bytes).toString('utf8');
            const lines = text.split('\n').filter(Boolean);
            expect(new Set(lines)).toEqual(new Set([tenant]));
            expect(lines.length, tenant).toBeGreaterThanOrEqual(count);
            await manager.close(workspaceId);
          }
        });
        await Promise.all(reading);

        expect([watch.failures, watch.created > 0]).toEqual([[], true]);
        expect(watch.doubled).toEqual([]);
        // One whose first opening was given up has gone again; one that was written to has not, as seen above.
        const { claims } = await namespace.find({ managerId });
        expect(claims.length).toBeGreaterThanOrEqual(written.size);
        expect(claims.length).toBeLessThanOrEqual(TENANTS);
        if (IS_SOAK) {
          const { created, most } = watch;
          const figures = {
            kills: KILLS,
            created,
            most,
            claims: claims.length,
            podsLeftAtTheEnd: left.pods.length,
            settledMs,
          };
          console.log(JSON.stringify({ figures, reports }));
        }
      } finally {
        for (const child of processes) child.kill('SIGKILL');
        await namespace.remove(await namespace.find({ managerId }));
      }
    },
  );
});

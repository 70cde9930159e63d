import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@agent-workspace/core';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { DockerWorkspaceManager } from '../src/docker/index.ts';
import { RedisStorage } from '../src/storage/redis/index.ts';
import { ContainerWatch } from './support/container-watch.ts';
import { containersOf, hasDocker, removeByHand } from './support/docker-engine.ts';
import { RedisServer } from './support/redis-server.ts';
import { countAcknowledged, startReplica, stopReplica } from './support/replica-process.ts';

/** `REPLICA_TENANTS=200 REPLICA_SECONDS=60` makes a soak of it, whose figures are printed. */
const TENANTS = Number(process.env['REPLICA_TENANTS'] ?? 20);
const SECONDS = Number(process.env['REPLICA_SECONDS'] ?? 15);
/** At once, in each replica. */
const WORKERS = Number(process.env['REPLICA_WORKERS'] ?? 4);
const IS_SOAK = process.env['REPLICA_TENANTS'] !== undefined;
/** One that was killed counts as living for so long, in the storage and in the sandboxes. */
const DEAD_AFTER_MS = 30_000;

const hasRedis = await RedisServer.isThere();

/** How a workspace that is being used may be taken away from whoever uses it. */
const EXPECTED_FAILURES = new Set([
  'workspace-closed',
  'command-ended',
  'gateway-connection-lost',
  'gateway-unreachable',
]);

describe.skipIf(!hasDocker || !hasRedis)('replicas of a service, on one Redis and one Docker Engine', () => {
  it(
    `keep ${TENANTS} tenants apart for ${SECONDS} s in which one of them is killed`,
    { timeout: (SECONDS + 180) * 1_000 },
    async () => {
      await using directory = await TemporaryDirectory.create();
      await using server = await RedisServer.start();
      const storage = new RedisStorage({ client: await server.connect() });
      const managerId = await storage.managerId();
      using watch = await ContainerWatch.start(managerId);
      const basedir = directory.at('workspaces');
      const processes: ChildProcess[] = [];

      const settings = {
        engine: 'docker',
        basedir,
        redisSocket: server.socketPath,
        tenants: TENANTS,
        workers: WORKERS,
        acknowledged: directory.at('acknowledged'),
      } as const;
      const start = (): Promise<ChildProcess> => startReplica(settings, processes);

      try {
        const [victim, survivor] = await Promise.all([start(), start()]);
        await sleep((SECONDS * 1_000) / 3);
        const death = once(victim, 'exit');
        victim.kill('SIGKILL');
        await death;
        const killedAt = performance.now();
        const successor = await start();
        await sleep((SECONDS * 2_000) / 3);
        const reports = await Promise.all([stopReplica(survivor), stopReplica(successor)]);

        for (const { leaks, uses } of reports) {
          expect(leaks).toEqual([]);
          expect(uses).toBeGreaterThan(0);
        }
        expect(watch.created).toBeGreaterThan(0);
        expect(watch.doubled).toEqual([]);
        for (const { failures } of reports) {
          expect(Object.keys(failures).filter((code) => !EXPECTED_FAILURES.has(code))).toEqual([]);
        }
        const left = await containersOf({ managerId });
        const options = { basedir, network: 'none', storage };
        await using manager = await DockerWorkspaceManager.open(options);
        // The last of a killed one may be written and not acknowledged.
        for (const [tenant, count] of await countAcknowledged(settings.acknowledged)) {
          const id = await manager.assignWorkspaceId({ userId: tenant, agentId: 'agent', sessionId: 's' });
          expect(await linesOf(join(basedir, encodeId(id), 'tenants')), tenant).toBeGreaterThanOrEqual(count);
        }
        const settle = async (): Promise<number> => {
          await manager.reconcile();
          await manager.closeAll();
          return (await containersOf({ managerId })).length;
        };
        const timeout = Math.max(0, DEAD_AFTER_MS - (performance.now() - killedAt)) + 60_000;
        await expect.poll(settle, { timeout, interval: 2_000 }).toBe(0);
        if (IS_SOAK) {
          const { created, most } = watch;
          const figures = { created, most, leftAtTheEnd: left.length, settledMs: performance.now() - killedAt };
          console.log(JSON.stringify({ figures, reports }));
        }
      } finally {
        for (const child of processes) child.kill('SIGKILL');
        await removeByHand({ managerId });
      }
    },
  );
});

async function linesOf(path: string): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').length - 1;
}

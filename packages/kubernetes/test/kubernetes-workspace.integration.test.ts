import { randomUUID } from 'node:crypto';
import { type Logger, silentLogger } from '@agent-workspace/core';
import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it, vi } from 'vitest';
import { OWN_DIRECTORY } from '../src/bootstrap/layout.ts';
import { listManagedPods, removeManagedPod } from '../src/index.ts';
import { KubernetesSandbox } from '../src/kubernetes-sandbox.ts';
import { ANNOTATIONS, LABELS, labelValue, podName } from '../src/pod/identity.ts';
import { hasKubernetes, PYTHON_IMAGE } from './support/cluster.ts';
import { shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 180_000 };

describe.skipIf(!hasKubernetes)('KubernetesWorkspace', () => {
  const tests = useKubernetes();

  it(
    'is a Pod and a claim with its labels, reached by the address of the Pod where that leads there',
    SLOW,
    async () => {
      const workspaceId = 'a/b c@x';
      const workspace = await tests.open({
        workspaceId,
        labels: { team: 'a' },
        annotations: { 'example.com/n': 'x y' },
      });
      expect(workspace.transport).toBe('pod-ip');
      expect(workspace.isPersistent).toBe(true);
      expect(await shell(workspace, 'id -u; id -g; pwd; echo mark >f; stat -c %u:%g f')).toBe(
        '1000\n1000\n/workspace\n1000:1000\n',
      );
      const identity = { managerId: tests.managerId, workspaceId };
      for (const [object] of [await tests.namespace.pods(), await tests.namespace.claims()]) {
        expect(object?.metadata).toMatchObject({
          name: podName(identity),
          labels: { team: 'a', [LABELS.workspace]: labelValue(workspaceId), [LABELS.manager]: tests.managerId },
          annotations: { 'example.com/n': 'x y', [ANNOTATIONS.workspace]: workspaceId },
        });
      }
    },
  );

  it('keeps its files on the claim when it is closed, and has them again when it is opened', SLOW, async () => {
    const workspaceId = randomUUID();
    const first = await tests.open({ workspaceId });
    await first.backend.writeFile('/workspace/a', 'kept');
    await first.close();
    expect(await tests.namespace.pods()).toStrictEqual([]);
    expect(await tests.namespace.claims()).toHaveLength(1);
    const second = await tests.open({ workspaceId, transport: 'exec' });
    expect(await shell(second, 'cat a')).toBe('kept');
    await second.close();
    // Without having been opened.
    await tests.make({ workspaceId }).destroy();
    await expect.poll(() => tests.namespace.claims(), { timeout: 30_000 }).toStrictEqual([]);
    const third = await tests.open({ workspaceId });
    expect(await shell(third, 'ls')).toBe('');
  });

  it('is removed with its claim when it is closed, where that is wished', SLOW, async () => {
    const workspace = await tests.open({ deleteVolumeOnClose: true });
    expect(workspace.isPersistent).toBe(false);
    await workspace.close();
    await expect.poll(() => tests.namespace.claims(), { timeout: 30_000 }).toStrictEqual([]);
    expect(await tests.namespace.pods()).toStrictEqual([]);
  });

  it('is shared by two hosts, over different ways, of which the last one out stops it', SLOW, async () => {
    const workspaceId = randomUUID();
    const first = await tests.open({ workspaceId });
    const second = await tests.open({ workspaceId, transport: 'port-forward' });
    const third = await tests.open({ workspaceId, transport: 'exec' });
    const { name, metadata } = await tests.namespace.pod();
    await first.backend.writeFile('/workspace/a', 'of the first\n');
    const answers = await Promise.all([second, third, first].map((workspace) => shell(workspace, 'cat a')));
    expect(answers).toStrictEqual(['of the first\n', 'of the first\n', 'of the first\n']);
    await first.close();
    await third.close();
    expect(await shell(second, 'cat a')).toBe('of the first\n');
    expect((await tests.namespace.pod()).metadata?.uid).toBe(metadata?.uid);
    expect((await tests.namespace.pod()).name).toBe(name);
    await second.close();
    expect(await tests.namespace.pods()).toStrictEqual([]);
  });

  it.each(['stop', 'destroy'] as const)(
    'has its Pod and its claim left where another host has made the Pod anew since, by %s()',
    SLOW,
    async (end) => {
      const { managerId } = tests;
      const options = { ...tests.namespace.options, managerId, workspaceId: randomUUID(), deleteVolumeOnClose: true };
      const [first, second] = [1, 2].map(() => new KubernetesSandbox({ ...options, logger: silentLogger }));
      const { signal } = new AbortController();
      expect(await first?.start({ signal })).toBe('created');
      await tests.namespace.deletePod((await tests.namespace.pod()).name, { force: true });
      await second?.start({ signal });
      await first?.[end]();
      const { metadata } = await tests.namespace.pod();
      expect(metadata?.uid).toBe(second?.podUid);
      const [claim] = await tests.namespace.claims();
      expect(claim?.metadata?.name).toBe(podName(options));
      for (const left of [metadata, claim?.metadata]) expect(left?.deletionTimestamp).toBeUndefined();
      await second?.stop();
      await expect.poll(() => tests.namespace.claims(), { timeout: 30_000 }).toStrictEqual([]);
      expect(await tests.namespace.pods()).toStrictEqual([]);
    },
  );

  it('is one where two hosts open it at the same moment', SLOW, async () => {
    const workspaceId = randomUUID();
    const [one, two] = await Promise.all([tests.open({ workspaceId }), tests.open({ workspaceId })]);
    expect(await tests.namespace.pods()).toHaveLength(1);
    await one.backend.writeFile('/workspace/a', 'shared');
    expect(await shell(two, 'cat a')).toBe('shared');
  });

  it.each<[string, (pods: readonly V1Pod[]) => boolean]>([
    ['has just begun to close it', () => true],
    ['has begun to remove its Pod', (pods) => pods.every(({ metadata }) => metadata?.deletionTimestamp !== undefined)],
    ['has removed its Pod', (pods) => pods.length === 0],
  ])('opens where its last host %s', SLOW, async (_what, isThatFar) => {
    const workspaceId = randomUUID();
    const first = await tests.open({ workspaceId });
    await first.backend.writeFile('a', 'kept');
    const closing = first.close();
    await expect.poll(async () => isThatFar(await tests.namespace.pods()), { interval: 5 }).toBe(true);
    const second = await tests.open({ workspaceId });
    await closing;
    expect(await shell(second, 'cat a')).toBe('kept');
  });

  it('is found by its labels after a crash of its host, and what ran lives on', SLOW, async () => {
    const workspaceId = randomUUID();
    const crashed = tests.make({ workspaceId });
    await crashed.initialize();
    const background = await crashed.backend.startBackground(['sh', '-c', 'echo begun; sleep 300']);
    const next = await tests.open({ workspaceId });
    expect(await tests.namespace.pods()).toHaveLength(1);
    await expect.poll(() => shell(next, `cat ${background.logPath}`), { timeout: 10_000 }).toBe('begun\n');
  });

  it('says so where a Pod and a claim that are there are not as the options say', SLOW, async () => {
    const workspaceId = randomUUID();
    await tests.open({ workspaceId });
    const warn = vi.fn<Logger['warn']>();
    const logger: Logger = { ...silentLogger, warn };
    await tests.open({ workspaceId, storageSize: '2Gi', nodeSelector: {}, logger });
    expect(warn.mock.calls).toMatchObject([
      [
        'A claim that is there keeps its size and class.',
        { asked: { storageSize: '2Gi' }, has: { storageSize: '1Gi' } },
      ],
      ['A Pod that was made with other options is used as it is, since it runs.', { pod: expect.any(String) }],
    ]);
  });

  it('has what its template adds', SLOW, async () => {
    const workspace = await tests.open({
      podTemplate: {
        metadata: { annotations: { 'example.com/a': 'b' } },
        spec: {
          hostname: 'agent',
          containers: [{ name: 'workspace', env: [{ name: 'OF_TEMPLATE', value: 'there' }] }],
        },
      },
    });
    expect(await shell(workspace, 'cat /proc/sys/kernel/hostname')).toBe('agent\n');
    expect(await tests.inside('echo $OF_TEMPLATE')).toBe('there\n');
    expect((await tests.namespace.pod()).metadata?.annotations).toMatchObject({ 'example.com/a': 'b' });
  });

  it('gives commands their variables and a home, and puts none of those into the Pod', SLOW, async () => {
    const workspace = await tests.open({ env: { SECRET: 'of-the-commands' } });
    expect(await shell(workspace, 'echo $SECRET; touch ~/f && echo can write')).toBe('of-the-commands\ncan write\n');
    expect(JSON.stringify(await tests.namespace.pod())).not.toContain('of-the-commands');
  });

  it('says what is wrong with an image that has no Node, and leaves nothing', SLOW, async () => {
    await expect(tests.open({ image: PYTHON_IMAGE })).rejects.toMatchObject({
      code: 'pod-start-failed',
      details: { reason: 'ImageUnsuitable', explanation: expect.stringContaining('has no node that runs') },
    });
    expect(await tests.namespace.pods()).toStrictEqual([]);
    await expect.poll(() => tests.namespace.claims(), { timeout: 30_000 }).toStrictEqual([]);
  });

  it('puts the gateway into an image that has none, once in the life of a Pod', SLOW, async () => {
    const workspaceId = randomUUID();
    await tests.open({ workspaceId });
    const list = `cd ${OWN_DIRECTORY}/files && stat -c '%i %n' * | sort -k 2`;
    const files = (await tests.inside(list)).trim().split('\n');
    expect(files.map((line) => line.replace(/^\d+ [0-9a-f]{64}-/, '')).toSorted()).toStrictEqual(['gateway.cjs', 'rg']);
    await tests.open({ workspaceId });
    expect((await tests.inside(list)).trim().split('\n')).toStrictEqual(files);
  });

  it('leaves no zombie of what commands leave behind', SLOW, async () => {
    const workspace = await tests.open();
    const orphans = 'for i in $(seq 50); do sh -c "sleep 0.1 & echo \\$! >>pids"; done; wc -l <pids';
    expect(await shell(workspace, orphans)).toBe('50\n');
    const zombies = `cat /proc/[0-9]*/stat 2>/dev/null | sed 's/.*) //' | grep -c '^Z'; true`;
    const left = 'for pid in $(cat pids); do [ -e /proc/$pid ] && echo $pid; done; true';
    await expect.poll(() => shell(workspace, left), { timeout: 10_000 }).toBe('');
    expect(await shell(workspace, zombies)).toBe('0\n');
  });

  describe('of a manager', () => {
    it('is listed with its Pod or its claim alone, and its Pod is removed by its ids', SLOW, async () => {
      const { options } = tests.namespace;
      const { managerId } = tests;
      const open = await tests.open({ workspaceId: 'open/1' });
      const closed = await tests.open({ workspaceId: 'closed/1' });
      await closed.close();
      await tests.open({ workspaceId: 'of another', managerId: 'another' });
      const list = async (): Promise<unknown> =>
        (await listManagedPods({ ...options, managerId })).toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
      const facts = { isPersistent: true, createdAt: expect.any(Number) as number };
      const leftAlone = { workspaceId: 'closed/1', isRunning: false, isClosed: true, ...facts };
      expect(await list()).toStrictEqual([
        leftAlone,
        { workspaceId: 'open/1', isRunning: true, isClosed: false, ...facts },
      ]);
      const before = (await tests.namespace.pods()).map(({ metadata }) => metadata?.uid);
      await removeManagedPod({ ...options, managerId, workspaceId: 'open/1' });
      await removeManagedPod({ ...options, managerId, workspaceId: 'nothing' });
      // A workspace that is open on it meanwhile makes it anew.
      await expect.poll(() => shell(open, 'echo back').catch(String), { timeout: 60_000 }).toBe('back\n');
      const after = (await tests.namespace.pods()).map(({ metadata }) => metadata?.uid);
      expect(after.filter((uid) => !before.includes(uid))).toHaveLength(1);
    });
  });
});

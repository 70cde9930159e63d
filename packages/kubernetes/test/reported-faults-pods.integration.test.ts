import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { StartedBackend } from '@agent-workspace/core';
import { KubeConfig, StorageV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubernetesWorkspace, type KubernetesWorkspaceOptions } from '../src/index.ts';
import { TEST_KUBECONFIG } from '@agent-workspace/testing';
import { hasKubernetes } from './support/cluster.ts';
import { GATED, openGate } from './support/gate.ts';
import { RESTRICTED, TestNamespace } from './support/test-namespace.ts';
import { outcomeOf, shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 240_000 };
const SOON = { timeout: 90_000 };

describe.skipIf(!hasKubernetes)('faults of Pods and claims that people reported', () => {
  const tests = useKubernetes();
  /** A class whose volumes nobody makes. */
  const manualClass = `aw-test-${randomUUID()}`;
  const config = new KubeConfig();

  beforeAll(async () => {
    config.loadFromFile(TEST_KUBECONFIG);
    const storage = config.makeApiClient(StorageV1Api);
    const body = { metadata: { name: manualClass }, provisioner: 'kubernetes.io/no-provisioner' };
    await tests.namespace.connection.call('create', (o) => storage.createStorageClass({ body }, o));
  });

  afterAll(async () => {
    const storage = config.makeApiClient(StorageV1Api);
    await tests.namespace.connection.call('delete', (o) => storage.deleteStorageClass({ name: manualClass }, o));
  });

  /** Of a start that failed: a claim that is being removed counts as gone. */
  async function leftovers(): Promise<number> {
    const claims = (await tests.namespace.claims()).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    return (await tests.namespace.pods()).length + claims.length;
  }

  // kubernetes-client/javascript#3020
  it('[K05] a Pod that has nothing to tell for more than half a minute still comes up', SLOW, async () => {
    const opening = tests.open(GATED);
    await expect.poll(async () => (await tests.namespace.pods()).length, SOON).toBe(1);
    await setTimeout(35_000);
    await openGate(tests.namespace);
    expect(await shell(await opening, 'echo well')).toBe('well\n');
  });

  // jupyterhub/kubespawner#95, openanalytics/shinyproxy#596
  it.each<[string, KubernetesWorkspaceOptions]>([
    ['whose image cannot be pulled', { image: '127.0.0.1:1/nowhere:1', startTimeoutMs: 5_000 }],
    ['whose claim nothing is made for', { storageClassName: manualClass, startTimeoutMs: 5_000 }],
  ])('[K11] neither Pod nor claim is left of a start in vain, %s', SLOW, async (_what, options) => {
    await expect(tests.make(options).initialize()).rejects.toMatchObject({
      code: 'pod-start-failed',
      message: expect.stringContaining('does not run after 5000 ms'),
    });
    expect(await leftovers()).toBe(0);
  });

  // yaalalabs/agent-kernel#699
  it('[K13] the end of a command that takes too long is not that of the Pod', SLOW, async () => {
    const workspace = await tests.open();
    const { metadata } = await tests.namespace.pod();
    // Neither a hangup nor a SIGTERM moves it, and it has children in groups of their own.
    const stubborn = `trap '' TERM HUP; setsid sh -c "trap '' TERM HUP; sleep 300" & sleep 300; sleep 300`;
    const { end } = await workspace.backend.exec(['sh', '-c', stubborn], { timeoutMs: 1_000 });
    expect(end).toStrictEqual({ kind: 'timed-out', timeoutMs: 1_000 });
    expect(await shell(workspace, 'echo well')).toBe('well\n');
    const pod = await tests.namespace.pod();
    expect([pod.metadata?.uid, pod.status?.phase]).toStrictEqual([metadata?.uid, 'Running']);
  });

  // yaalalabs/agent-kernel#699
  it.each([
    ['kill -9 -1', 'kill -9 -1'],
    ['pkill sh', 'for d in /proc/[0-9]*; do [ "$(cat $d/comm)" = sh ] && kill -9 ${d#/proc/}; done'],
    [
      'pkill node',
      'for d in /proc/[0-9]*; do case "$(cat $d/comm)" in node|MainThread) kill -9 ${d#/proc/};; esac; done',
    ],
    ['kill of all, one by one', 'for d in /proc/[0-9]*; do [ $d = /proc/$$ ] || kill -9 ${d#/proc/}; done; kill -9 $$'],
  ])('[K13] after %s by the agent the workspace is back with its files', SLOW, async (_what, script) => {
    const workspace = await tests.open();
    await workspace.backend.writeFile('/workspace/a', 'kept');
    const { code } = await outcomeOf(shell(workspace, script));
    expect(code).toMatch(/^(no error|gateway-connection-lost)$/);
    await expect.poll(() => shell(workspace, 'cat a').catch(String), SOON).toBe('kept');
  });

  // jonwiggins/optio#424, buildkite/agent-stack-k8s#453, vndee/llm-sandbox#121
  it.each<[string, KubernetesWorkspaceOptions]>([
    ['as it is', {}],
    ['with another user', { user: '4321:8765' }],
    [
      'with a root that cannot be written to',
      {
        podTemplate: {
          spec: { containers: [{ name: 'workspace', securityContext: { readOnlyRootFilesystem: true } }] },
        },
      },
    ],
  ])('[K14] the claim belongs to who runs in the Pod, %s', SLOW, async (_what, options) => {
    const workspace = await tests.open(options);
    const { user = '1000:1000' } = options;
    expect(await shell(workspace, 'echo kept >a && mkdir -p b/c && stat -c %u:%g a b b/c; id -u; cat a')).toBe(
      `${`${user}\n`.repeat(3)}${user.split(':')[0]}\nkept\n`,
    );
    await workspace.close();
    const again = await tests.open({ ...options, workspaceId: workspace.workspaceId });
    expect(await shell(again, 'echo more >>a && cat a')).toBe('kept\nmore\n');
  });

  // chaitin/agent-compose#642
  it('[K15] who gives up a start gets their own reason, and nothing is left of it', SLOW, async () => {
    const reason = new Error('the user has gone');
    await expect(tests.make().initialize({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await leftovers()).toBe(0);

    const controller = new AbortController();
    const waiting = tests.make(GATED).initialize({ signal: controller.signal });
    await Promise.all([
      expect(waiting).rejects.toBe(reason),
      (async () => {
        await expect.poll(async () => (await tests.namespace.pods()).length, SOON).toBe(1);
        controller.abort(reason);
      })(),
    ]);
    expect(await leftovers()).toBe(0);
  });

  // chaitin/agent-compose#642
  it('[K15] the same where all is there but the workspace', SLOW, async () => {
    const reason = new Error('the user has gone');
    const controller = new AbortController();
    class GivenUp extends KubernetesWorkspace {
      protected override async startBackend(options: { readonly signal: AbortSignal }): Promise<StartedBackend> {
        const started = await super.startBackend(options);
        controller.abort(reason);
        return started;
      }
    }
    const workspace = new GivenUp({ ...tests.namespace.options, managerId: tests.managerId });
    await expect(workspace.initialize({ signal: controller.signal })).rejects.toBe(reason);
    expect(await leftovers()).toBe(0);
  });

  // chaitin/agent-compose#642
  it('[K15] a close() while it starts ends it, and nothing is left of it', SLOW, async () => {
    const workspace = tests.make(GATED);
    const opening = outcomeOf(workspace.initialize());
    await expect.poll(async () => (await tests.namespace.pods()).length, SOON).toBe(1);
    await workspace.close();
    expect(await opening).toMatchObject({ code: 'workspace-closed' });
    expect(await leftovers()).toBe(0);
  });

  // paperclipai/paperclip#5822
  it.each([
    ['pods', /^create the Pod aw-/],
    ['persistentvolumeclaims', /^create the claim aw-/],
  ])(
    '[K16] where the quota of %s is used up, nothing is left of what was made before',
    SLOW,
    async (what, operation) => {
      await using namespace = await TestNamespace.create({ labels: RESTRICTED });
      const { connection, name } = namespace;
      const body = { metadata: { name: 'quota' }, spec: { hard: { [what]: '0' } } };
      await connection.call('create', (o) =>
        connection.core.createNamespacedResourceQuota({ namespace: name, body }, o),
      );
      // It counts once the cluster has looked at it.
      const status = async (): Promise<unknown> =>
        (
          await connection.call('read', (o) =>
            connection.core.readNamespacedResourceQuota({ name: 'quota', namespace: name }, o),
          )
        ).status?.hard;
      await expect.poll(status, SOON).toStrictEqual({ [what]: '0' });
      await expect(KubernetesWorkspace.open(namespace.options)).rejects.toMatchObject({
        code: 'kubernetes-refused',
        details: { operation: expect.stringMatching(operation), reason: expect.stringContaining('exceeded quota') },
      });
      expect(await namespace.pods()).toStrictEqual([]);
      await expect.poll(() => namespace.claims(), SOON).toStrictEqual([]);
    },
  );
});

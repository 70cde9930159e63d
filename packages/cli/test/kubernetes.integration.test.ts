import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { surveyCluster } from '@agent-workspace/kubernetes';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MAIN, runCommandLine } from './support/run-command-line.ts';
import { StdioProcess } from './support/stdio-process.ts';
import { createNamespace, hasCluster, type TestNamespace } from './support/test-cluster.ts';

/** A program that has a workspace open. */
const HOST = fileURLToPath(new URL('fixtures/kubernetes-host.ts', import.meta.url));
const TIMEOUT_MS = 180_000;

describe.skipIf(!hasCluster)('with Kubernetes', { timeout: TIMEOUT_MS }, () => {
  let place: TestNamespace;
  beforeAll(async () => {
    place = await createNamespace();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it('serves a workspace in a Pod, found again by the next start in the same directory', async () => {
    await using directory = await TemporaryDirectory.create();
    const { cluster, namespace, kubeconfig, args } = place;
    const call = async (command: string): Promise<unknown> => {
      await using server = new StdioProcess([process.execPath, MAIN, 'mcp', ...args], { cwd: directory.path });
      const { result } = await server.initialize();
      expect(result?.['instructions']).toContain('(kubernetes) in /workspace.');
      server.send({ id: 1, method: 'tools/list' });
      expect((await server.answerTo(1)).result?.['tools']).toHaveLength(6);
      server.send({ id: 2, method: 'tools/call', params: { name: 'Bash', arguments: { command } } });
      const answer = await vi.waitUntil(() => server.answers.find(({ id }) => id === 2), { timeout: TIMEOUT_MS });
      server.child.stdin.end();
      expect((await server.exited).code, server.stderr).toBe(0);
      return answer.result?.['content'];
    };
    expect(await call('pwd; id -u; echo kept > kept')).toMatchObject([{ text: '/workspace\n1000\n' }]);
    const pods = await cluster.call('list', (o) => cluster.core.listNamespacedPod({ namespace }, o));
    expect(pods.items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined)).toEqual([]);
    const { workspaces } = await surveyCluster({ kubeconfig, namespace });
    expect(workspaces).toMatchObject([{ state: 'closed', managerId: 'standalone' }]);
    expect(await call('cat kept')).toMatchObject([{ text: 'kept\n' }]);

    const listed = await runCommandLine(['ls', '--json', ...args]);
    const [{ workspaceId, name } = {}] = workspaces;
    expect(JSON.parse(listed.stdout)).toMatchObject({
      workspaces: [{ kind: 'pod', where: `${namespace}/${name}`, workspaceId, state: 'closed' }],
      problems: [],
    });
  });

  it('says whether the cluster can be used', async () => {
    const fine = await runCommandLine(['doctor', '--json', ...place.args]);
    expect(JSON.parse(fine.stdout)).toMatchObject({ backend: 'kubernetes', isFine: true });
    expect(fine.stdout).toContain(`${place.cluster.server}, namespace ${place.namespace}`);
    const { exitCode, stdout } = await runCommandLine(['doctor', ...place.args, '--context', 'nowhere']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ kubernetes.*"nowhere"/mu);
  });

  it('says what gc would remove, and removes it with --force alone', async () => {
    const { cluster, namespace, kubeconfig, args } = place;
    const managerId = `test-${randomUUID()}`;
    await using host = new StdioProcess([process.execPath, HOST, managerId, kubeconfig, namespace]);
    const workspaceId = await vi.waitUntil(() => /^(?<id>\S+)\n/u.exec(host.stdout)?.groups?.['id'], {
      timeout: TIMEOUT_MS,
    });
    const find = async () =>
      (await surveyCluster({ kubeconfig, namespace })).workspaces.find((one) => one.managerId === managerId);
    const gc = async (...more: readonly string[]): Promise<unknown> => {
      const only = ['--older-than', '0', '--manager', managerId];
      const { exitCode, stdout, stderr } = await runCommandLine(['gc', '--json', ...args, ...only, ...more]);
      expect(exitCode, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    expect(await gc('--force')).toStrictEqual({ removed: [], kept: [], problems: [] });

    // The host dies, and then the Pod: its time is over.
    host.child.kill('SIGKILL');
    await host.exited;
    const { name = '' } = (await find()) ?? {};
    const body = [{ op: 'add', path: '/spec/activeDeadlineSeconds', value: 1 }];
    await cluster.call('end the Pod', (o) => cluster.core.patchNamespacedPod({ name, namespace, body }, o));
    await vi.waitUntil(async () => (await find())?.state === 'ended', { timeout: TIMEOUT_MS });
    const what = [`Pod ${namespace}/${name} (ended) of the workspace ${workspaceId}`];
    expect(await gc()).toStrictEqual({ wouldRemove: what, kept: [], problems: [] });
    expect(await find()).toMatchObject({ state: 'ended' });
    expect(await gc('--force')).toStrictEqual({ removed: what, kept: [], problems: [] });
    expect(await find()).toMatchObject({ state: 'closed', isPersistent: true });
  });
});

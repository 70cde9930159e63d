import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { ClusterConnection, listManagedPods, removeManagedPod, surveyCluster } from '../src/index.ts';
import { hasKubernetes } from './support/cluster.ts';
import { kubeconfigWith } from './support/kubeconfig.ts';
import { LimitedAccount, shippedRules, without } from './support/limited-account.ts';
import { RecordingProxy } from './support/recording-proxy.ts';
import { outcomeOf, shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 240_000 };
const SOON = { timeout: 120_000 };

describe.skipIf(!hasKubernetes)('faults with credentials that people reported', () => {
  const tests = useKubernetes();

  // UKGovernmentBEIS/inspect_k8s_sandbox#179, kubernetes-client/python#1768
  it('[K09] a token that is renewed in its file is used from then on, with the shipped Role', SLOW, async () => {
    const account = await LimitedAccount.create(tests.namespace, await shippedRules());
    const [old, renewed] = [await account.token(), await account.token()];
    await using directory = await TemporaryDirectory.create({ token: old.token });
    const path = directory.at('token');
    const kubeconfig = await kubeconfigWith({ user: { tokenFile: path } });
    const namespace = tests.namespace.name;
    const workspace = await tests.open({ kubeconfig, transport: 'port-forward' });
    // One that is at hand for longer than any call, as a manager's.
    const connection = await ClusterConnection.open({ kubeconfig, namespace });
    const list = (): Promise<unknown> =>
      connection.call('list Pods', (o) => connection.core.listNamespacedPod({ namespace }, o));
    await list();
    await workspace.backend.writeFile('/workspace/a', 'kept');

    await writeFile(`${path}.new`, renewed.token);
    await rename(`${path}.new`, path);
    await old.revoke();
    const withOld = await ClusterConnection.open({ kubeconfig: await kubeconfigWith({ user: { token: old.token } }) });
    const useOld = (): Promise<unknown> =>
      withOld.call('list Pods', (o) => withOld.core.listNamespacedPod({ namespace }, o));
    await expect
      .poll(() => outcomeOf(useOld()), SOON)
      .toMatchObject({
        code: 'kubernetes-unavailable',
        message: expect.stringContaining('does not accept the credentials'),
      });

    await list();
    // All that a workspace asks of the API server: that its Pod is made anew, new forwards, and its end.
    await tests.namespace.deletePod((await tests.namespace.pod()).name);
    await expect.poll(() => shell(workspace, 'cat a').catch(String), SOON).toBe('kept');
    await workspace.close();
    expect(await tests.namespace.pods()).toStrictEqual([]);
  });

  // omnigent-ai/omnigent#881
  it.each([
    ['pod-ip', ['/exec?']],
    ['port-forward', ['/exec?', '/portforward?']],
    ['exec', ['/exec?']],
  ] as const)(
    '[K10] no secret is in what the audit log of an API server has, over %s',
    SLOW,
    async (transport, ways) => {
      await using proxy = await RecordingProxy.start();
      const { kubeconfig } = proxy;
      const secrets = {
        env: `env-${randomUUID()}`,
        stdin: `stdin-${randomUUID()}`,
        argument: `argument-${randomUUID()}`,
      };
      const workspace = await tests.open({ kubeconfig, transport, env: { SECRET: secrets.env } });
      const { stdout } = await workspace.backend.exec(['sh', '-c', `echo ${secrets.argument} $SECRET; cat`], {
        stdin: secrets.stdin,
      });
      expect(Buffer.from(stdout.head).toString()).toBe(`${secrets.argument} ${secrets.env}\n${secrets.stdin}`);
      await tests.killGateway();
      await expect.poll(() => shell(workspace, 'echo back').catch(String), SOON).toBe('back\n');
      await workspace.close();
      expect(workspace.tokens.length).toBeGreaterThan(1);
      const { managerId } = tests;
      const { name: namespace } = tests.namespace;
      await listManagedPods({ kubeconfig, namespace, managerId });
      await removeManagedPod({ kubeconfig, namespace, managerId, workspaceId: 'nothing' });
      await surveyCluster({ kubeconfig, namespace });

      const requests = proxy.requests.map((request) => decodeURIComponent(request.replaceAll('+', ' ')));
      for (const part of [...ways, '/events?', 'POST ', 'DELETE ']) {
        expect(requests.some((request) => request.includes(part))).toBe(true);
      }
      for (const secret of [...Object.values(secrets), ...workspace.tokens]) {
        const forms = [secret, Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')];
        expect(requests.filter((request) => forms.some((form) => request.includes(form)))).toStrictEqual([]);
      }
    },
  );

  // kubernetes-sigs/agent-sandbox#1388
  it('[K12] a close() that may not delete the Pod says so, and may be called again', SLOW, async () => {
    const rules = await shippedRules();
    const account = await LimitedAccount.create(tests.namespace, without(rules, 'delete', 'pods'));
    const kubeconfig = await kubeconfigWith({ user: { token: (await account.token()).token } });
    const workspace = await tests.open({ kubeconfig });
    const refused = {
      code: 'kubernetes-refused',
      message: expect.stringContaining('delete the Pod aw-'),
      details: { status: 403, statusReason: 'Forbidden' },
    };
    await expect(workspace.close()).rejects.toMatchObject(refused);
    await expect(workspace.close()).rejects.toMatchObject(refused);
    await expect(workspace.destroy()).rejects.toMatchObject(refused);
    await expect(
      removeManagedPod({
        kubeconfig,
        namespace: tests.namespace.name,
        managerId: tests.managerId,
        workspaceId: workspace.workspaceId,
      }),
    ).rejects.toMatchObject(refused);
    expect(await tests.namespace.pods()).toHaveLength(1);
    await account.allow(rules);
    await expect.poll(() => outcomeOf(workspace.close()), SOON).toMatchObject({ code: 'no error' });
    expect(await tests.namespace.pods()).toStrictEqual([]);
    expect(await tests.namespace.claims()).toHaveLength(1);
  });

  // kubernetes-sigs/agent-sandbox#1388
  it('[K12] a destroy() that may not delete the claim says so, and may be called again', SLOW, async () => {
    const rules = await shippedRules();
    const account = await LimitedAccount.create(tests.namespace, without(rules, 'delete', 'persistentvolumeclaims'));
    const kubeconfig = await kubeconfigWith({ user: { token: (await account.token()).token } });
    const workspace = await tests.open({ kubeconfig });
    const refused = { code: 'kubernetes-refused', details: { status: 403 } };
    await expect(workspace.destroy()).rejects.toMatchObject(refused);
    await expect(tests.make({ kubeconfig, workspaceId: workspace.workspaceId }).destroy()).rejects.toMatchObject(
      refused,
    );
    expect(await tests.namespace.claims()).toHaveLength(1);
    const doomed = await tests.open({ kubeconfig, deleteVolumeOnClose: true });
    await expect(doomed.close()).rejects.toMatchObject(refused);
    await account.allow(rules);
    await expect.poll(() => outcomeOf(workspace.destroy()), SOON).toMatchObject({ code: 'no error' });
    await doomed.close();
    await expect.poll(() => tests.namespace.claims(), SOON).toStrictEqual([]);
    expect(await tests.namespace.pods()).toStrictEqual([]);
  });
});

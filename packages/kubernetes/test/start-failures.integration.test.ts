import { randomUUID } from 'node:crypto';
import { PodStartFailedError } from '@agent-workspace/core';
import { KubeConfig, StorageV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubernetesWorkspace, type KubernetesWorkspaceOptions } from '../src/index.ts';
import { hasKubernetes } from './support/cluster.ts';
import { TestNamespace } from './support/test-namespace.ts';
import { useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 120_000 };
/** So long that no test gets there: what fails, fails by itself. */
const PATIENT = { startTimeoutMs: 100_000 };

describe.skipIf(!hasKubernetes)('a Pod that does not start', () => {
  const tests = useKubernetes();
  /** A class whose volumes nobody makes. */
  const manualClass = `aw-test-${randomUUID()}`;
  let removeClass: () => Promise<unknown> = () => Promise.resolve();

  beforeAll(async () => {
    const { connection } = tests.namespace;
    const config = new KubeConfig();
    config.loadFromFile(tests.namespace.options.kubeconfig);
    const storage = config.makeApiClient(StorageV1Api);
    await connection.call('create', (o) =>
      storage.createStorageClass(
        { body: { metadata: { name: manualClass }, provisioner: 'kubernetes.io/no-provisioner' } },
        o,
      ),
    );
    removeClass = () => connection.call('delete', (o) => storage.deleteStorageClass({ name: manualClass }, o));
  });

  afterAll(() => removeClass());

  /** What is left of a start that failed. */
  async function leftovers(): Promise<number> {
    return (await tests.namespace.pods()).length + (await tests.namespace.claims()).length;
  }

  async function failure(options: KubernetesWorkspaceOptions): Promise<PodStartFailedError> {
    const error: unknown = await tests.open(options).catch((reason: unknown) => reason);
    if (!PodStartFailedError.isInstance(error)) throw new Error('It did not fail as a Pod does.', { cause: error });
    expect(error.details.pod).toMatch(new RegExp(`^${tests.namespace.name}/aw-`));
    await expect.poll(leftovers, { timeout: 30_000 }).toBe(0);
    return error;
  }

  it.each<[string, string, KubernetesWorkspaceOptions]>([
    ['that is nowhere', 'ErrImageNeverPull', { image: 'localhost/nowhere:1', imagePullPolicy: 'Never' }],
    ['whose name is none', 'InvalidImageName', { image: 'localhost/No Name:1' }],
  ])('fails at once for an image %s', SLOW, async (_what, reason, options) => {
    expect((await failure({ ...options, ...PATIENT })).details).toMatchObject({
      reason,
      explanation: expect.stringContaining(options.image ?? ''),
    });
  });

  it('says what the registry said of an image that cannot be pulled, when its time is over', SLOW, async () => {
    const { details } = await failure({ image: '127.0.0.1:1/nowhere:1', startTimeoutMs: 8_000 });
    expect(details.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
    expect(details.explanation).toContain('127.0.0.1:1');
    expect(details.explanation).toContain('it does not run after 8000 ms');
  });

  it('fails at once for a class of storage that is not there', SLOW, async () => {
    expect((await failure({ storageClassName: 'nowhere', ...PATIENT })).details).toMatchObject({
      reason: 'ProvisioningFailed',
      explanation: expect.stringContaining('"nowhere" not found'),
    });
  });

  it('says that its claim is not bound, when its time is over', SLOW, async () => {
    const { details } = await failure({ startTimeoutMs: 5_000, storageClassName: manualClass });
    expect(details.reason).toBe('Unschedulable');
    expect(details.explanation).toMatch(/unbound|didn't find available persistent volumes|not find/);
  });

  it('says that no node takes it, when its time is over', SLOW, async () => {
    const { details, isRetryable } = await failure({ nodeSelector: { pool: 'nowhere' }, startTimeoutMs: 5_000 });
    expect(details).toMatchObject({
      reason: 'Unschedulable',
      explanation: expect.stringContaining('0/1 nodes are available'),
    });
    expect(isRetryable).toBe(true);
  });

  it('fails at once where a variable of its template comes from a Secret that is not there', SLOW, async () => {
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'nowhere', key: 'a' } } }];
    const podTemplate = { spec: { containers: [{ name: 'workspace', env }] } };
    expect((await failure({ podTemplate, ...PATIENT })).details).toMatchObject({
      reason: 'CreateContainerConfigError',
      explanation: expect.stringContaining('secret "nowhere" not found'),
    });
  });

  it('fails with the words of a quota that is reached, and leaves nothing', SLOW, async () => {
    const { core } = tests.namespace.connection;
    const namespace = tests.namespace.name;
    for (const [resource, operation] of [
      ['pods', /^create the Pod aw-/],
      ['persistentvolumeclaims', /^create the claim aw-/],
    ] as const) {
      const body = { metadata: { name: resource }, spec: { hard: { [resource]: '0' } } };
      await tests.namespace.connection.call('create', (o) =>
        core.createNamespacedResourceQuota({ namespace, body }, o),
      );
      // The quota counts once its controller has seen it.
      await expect
        .poll(
          () =>
            tests.open(PATIENT).then(
              () => tests.closeAll(),
              (error: unknown) => error,
            ),
          { timeout: 60_000 },
        )
        .toMatchObject({
          code: 'kubernetes-refused',
          isRetryable: false,
          details: {
            status: 403,
            operation: expect.stringMatching(operation),
            reason: expect.stringContaining('exceeded quota'),
          },
        });
      await tests.namespace.connection.call('delete', (o) =>
        core.deleteNamespacedResourceQuota({ namespace, name: resource }, o),
      );
      await expect.poll(leftovers, { timeout: 30_000 }).toBe(0);
    }
  });

  it('says so where its namespace is not there', async () => {
    const namespace = `aw-test-${randomUUID()}`;
    await expect(tests.open({ namespace })).rejects.toMatchObject({
      code: 'kubernetes-refused',
      details: { status: 404, reason: `namespaces "${namespace}" not found` },
    });
  });

  it('fails with the words of the standard that its namespace enforces', SLOW, async () => {
    await expect(tests.open({ user: '0', podSecurity: 'unrestricted' })).rejects.toMatchObject({
      code: 'kubernetes-refused',
      details: { status: 403, reason: expect.stringContaining('violates PodSecurity "restricted:latest"') },
    });
    await expect.poll(leftovers, { timeout: 30_000 }).toBe(0);
  });

  it('leaves nothing where it is given up, and ends with the reason for that', SLOW, async () => {
    const controller = new AbortController();
    const workspace = tests.make({ nodeSelector: { pool: 'nowhere' }, ...PATIENT });
    const opening = workspace.initialize({ signal: controller.signal });
    await Promise.all([
      expect(opening).rejects.toThrow('not wanted any more'),
      (async () => {
        await expect.poll(leftovers, { timeout: 30_000 }).toBe(2);
        controller.abort(new Error('not wanted any more'));
      })(),
    ]);
    await expect.poll(leftovers, { timeout: 30_000 }).toBe(0);
  });

  it('leaves the claim where that was there before', SLOW, async () => {
    const workspaceId = randomUUID();
    const first = await tests.open({ workspaceId });
    await first.backend.writeFile('/workspace/a', 'kept');
    await first.close();
    const lost = tests.open({ workspaceId, image: 'localhost/nowhere:1', imagePullPolicy: 'Never' });
    await expect(lost).rejects.toMatchObject({ code: 'pod-start-failed' });
    expect(await tests.namespace.pods()).toStrictEqual([]);
    const again = await tests.open({ workspaceId });
    expect(Buffer.from((await again.backend.readFile('/workspace/a')).bytes).toString()).toBe('kept');
  });
});

describe.skipIf(!hasKubernetes)('a host that may do nothing', () => {
  it('is told so, in the words of the cluster', SLOW, async () => {
    await using namespace = await TestNamespace.create();
    const { core, server } = namespace.connection;
    const request = { name: 'default', namespace: namespace.name, body: { spec: { audiences: [] } } };
    const { status } = await namespace.connection.call('make a token', (o) =>
      core.createNamespacedServiceAccountToken(request, o),
    );
    const kubeconfig = JSON.stringify(
      {
        clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'u', user: { token: status?.token } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: namespace.name } }],
        'current-context': 'x',
      },
      undefined,
      2,
    );
    await expect(KubernetesWorkspace.open({ kubeconfig })).rejects.toMatchObject({
      code: 'kubernetes-refused',
      isRetryable: false,
      details: { status: 403, statusReason: 'Forbidden', reason: expect.stringContaining('cannot create resource') },
    });
    const wrong = kubeconfig.replace(status?.token ?? '', 'wrong');
    await expect(KubernetesWorkspace.open({ kubeconfig: wrong })).rejects.toMatchObject({
      code: 'kubernetes-unavailable',
      details: { server, reason: expect.stringContaining('does not accept the credentials') },
    });
  });
});

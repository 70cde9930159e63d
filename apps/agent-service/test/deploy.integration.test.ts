import { KubernetesRefusedError } from '@agent-workspace/core';
import { ClusterConnection, KubernetesWorkspace } from '@agent-workspace/kubernetes';
import { KubernetesWorkspaceManager } from '@agent-workspace/manager/kubernetes';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { TEST_KUBECONFIG } from '@agent-workspace/testing';
import { ask, type Answer } from './support/api-server.ts';
import { collectionPath, inNamespaces, type Manifest, readBase, readPatches } from './support/manifests.ts';
import { hasCluster } from './support/test-cluster.ts';

/* What deploy/kubernetes ships, on a real API server, in namespaces of other names. */

const TIMEOUT_MS = 180_000;
const STRICT = { fieldValidation: 'Strict' };
const DRY_RUN = { ...STRICT, dryRun: 'All' };
const WORKSPACES = 'agent-workspaces';
const SERVICE = 'agent-service';

const id = randomUUID().slice(0, 8);
const NAMES = { [WORKSPACES]: `aw-test-${id}-workspaces`, [SERVICE]: `aw-test-${id}-service` };
const NODE_IMAGE = 'node:24-slim';

interface DeploymentManifest extends Manifest {
  readonly spec: {
    readonly replicas: number;
    readonly strategy: object;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string }[];
          readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
        }[];
        readonly volumes: readonly object[];
      };
    };
  };
}

describe.skipIf(!hasCluster)('what is shipped for Kubernetes', { timeout: TIMEOUT_MS }, () => {
  let manifests: readonly Manifest[];
  let admin: ClusterConnection;

  const create = (manifest: Manifest, query: Readonly<Record<string, string>> = DRY_RUN): Promise<Answer> =>
    ask(admin, { method: 'POST', path: collectionPath(manifest), query, body: manifest });
  const deployment = (): DeploymentManifest =>
    manifests.find(({ kind }) => kind === 'Deployment') as DeploymentManifest;
  /** A Pod as the Deployment would make it. */
  const podOf = ({ spec: { template } }: DeploymentManifest): Manifest => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'tried', namespace: NAMES[SERVICE] ?? '', ...template.metadata },
    spec: template.spec,
  });

  beforeAll(async () => {
    admin = await ClusterConnection.open({ kubeconfig: TEST_KUBECONFIG });
    manifests = (await readBase()).map((manifest) => inNamespaces(manifest, NAMES));
    for (const manifest of manifests.filter(({ kind }) => kind === 'Namespace')) {
      expect(await create(manifest, STRICT)).toMatchObject({ status: 201 });
    }
  }, TIMEOUT_MS);

  afterAll(async () => {
    for (const name of Object.values(NAMES)) await ask(admin, { method: 'DELETE', path: `/api/v1/namespaces/${name}` });
  });

  it('is taken by the API server, document by document', async () => {
    const others = manifests.filter(({ kind }) => kind !== 'Namespace');
    expect(others.length).toBeGreaterThan(8);
    for (const manifest of others) {
      const { status, body } = await create(manifest);
      expect({ kind: manifest.kind, status, message: body.message }).toEqual({ kind: manifest.kind, status: 201 });
    }
  });

  it('would be refused with a field that there is not', async () => {
    const { status, body } = await create({ ...deployment(), spec: { ...deployment().spec, replica: 2 } });
    expect(status).toBe(400);
    expect(body.message).toContain('unknown field "spec.replica"');
  });

  it('has a Deployment whose Pods keep to the restricted standard of their namespace', async () => {
    // A Pod's account has to be there.
    const account = manifests.find(({ kind }) => kind === 'ServiceAccount');
    if (account !== undefined) await create(account, STRICT);
    expect(await create(podOf(deployment()))).toMatchObject({ status: 201 });
    const pod = podOf(deployment());
    const refused = await create({ ...pod, spec: { ...(pod['spec'] as object), hostNetwork: true } });
    expect(refused).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
  });

  it('gives the service longer to end than it takes', () => {
    const { containers, terminationGracePeriodSeconds } = deployment().spec.template.spec;
    const [container] = containers;
    const drain = Number(container?.args.find((arg) => arg.startsWith('--drain='))?.slice('--drain='.length));
    const pause = container?.lifecycle.preStop.sleep.seconds ?? 0;
    // Beside these, requests that hold a workspace have 5 s, and the last words of answers, too.
    expect(terminationGracePeriodSeconds - pause - drain - 10).toBeGreaterThanOrEqual(30);
  });

  it('has an overlay for replicas, which the API server merges as kustomize does', async () => {
    const base = deployment();
    // Nothing of it is to run here.
    expect(await create({ ...base, spec: { ...base.spec, replicas: 0 } }, STRICT)).toMatchObject({ status: 201 });
    const patches = (await readPatches('replicas')).map((patch) => inNamespaces(patch, NAMES));
    const [change, removal, ...others] = patches;
    expect(others).toEqual([]);
    const path = `${collectionPath(base)}/${base.metadata.name}`;
    const contentType = 'application/strategic-merge-patch+json';
    const { status, body } = await ask(admin, { method: 'PATCH', path, query: DRY_RUN, body: change, contentType });
    expect({ status, message: body.message }).toEqual({ status: 200 });
    const { spec } = body as unknown as DeploymentManifest;
    expect(spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
    expect(spec.template.spec.volumes).toEqual([
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ]);
    expect(spec.template.spec.containers[0]?.env.map(({ name }) => name)).toContain('AGENT_SERVICE_REDIS');
    expect(removal).toMatchObject({ $patch: 'delete', kind: 'PersistentVolumeClaim' });
    const claims = manifests.filter(({ kind }) => kind === 'PersistentVolumeClaim');
    expect(claims.map(({ metadata }) => metadata)).toEqual([removal?.metadata]);
  });

  describe('the account of the service', () => {
    let kubeconfig: string;
    const namespace = NAMES[WORKSPACES] ?? '';

    beforeAll(async () => {
      const needed = ['ServiceAccount', 'Role', 'RoleBinding', 'ResourceQuota', 'LimitRange', 'NetworkPolicy'];
      for (const manifest of manifests.filter(({ kind }) => needed.includes(kind))) {
        expect([201, 409]).toContain((await create(manifest, STRICT)).status);
      }
      kubeconfig = await kubeconfigOf(admin, `/api/v1/namespaces/${NAMES[SERVICE]}/serviceaccounts/${SERVICE}`);
      // Pods are refused before that.
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
      await vi.waitUntil(async () => (await ask(admin, { method: 'GET', path })).status === 200, { timeout: 60_000 });
    }, TIMEOUT_MS);

    it('is allowed all that a workspace needs, in any of the three ways to its Pod', async () => {
      const workspaceId = `by-role-${id}`;
      for (const transport of ['pod-ip', 'port-forward', 'exec'] as const) {
        const options = { kubeconfig, namespace, image: NODE_IMAGE, workspaceId, transport };
        const workspace = await KubernetesWorkspace.open(options);
        expect(workspace.transport).toBe(transport);
        const command = 'echo ran >> runs; cat runs | wc -l; id -u';
        const { stdout } = await workspace.backend.exec(['sh', '-c', command]);
        expect(new TextDecoder().decode(stdout.head)).toMatch(/^[123]\n1000\n$/u);
        await workspace.close();
      }
      await new KubernetesWorkspace({ kubeconfig, namespace, workspaceId }).destroy();
    });

    it('is allowed all that a manager needs, with what it remembers in the cluster', async () => {
      const key = { userId: 'user', agentId: 'agent', sessionId: 'session' };
      const options = { kubeconfig, namespace, image: NODE_IMAGE };
      let workspaceId: string;
      {
        await using manager = await KubernetesWorkspaceManager.open(options);
        const workspace = await manager.getWorkspace(key);
        workspaceId = workspace.workspaceId;
        await workspace.backend.writeFile(`${workspace.workdir}/kept.txt`, 'kept');
      }
      await using manager = await KubernetesWorkspaceManager.open(options);
      const again = await manager.getWorkspace(key);
      expect(again.workspaceId).toBe(workspaceId);
      const { bytes } = await again.backend.readFile(`${again.workdir}/kept.txt`);
      expect(new TextDecoder().decode(bytes)).toBe('kept');
      await manager.destroy(workspaceId);
    });

    it('gets Pods with the limits of the namespace, and no token of the cluster in them', async () => {
      const workspaceId = `limited-${id}`;
      await using workspace = await KubernetesWorkspace.open({ kubeconfig, namespace, image: NODE_IMAGE, workspaceId });
      const selector = `agent-workspace.dev/workspace-id=${workspaceId}`;
      const { body } = await ask(admin, {
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/pods`,
        query: { labelSelector: selector },
      });
      expect(body['items']).toMatchObject([{ spec: { containers: [{ resources: { limits: { memory: '2Gi' } } }] } }]);
      const command = 'ls /var/run/secrets/kubernetes.io/serviceaccount || echo none';
      const { stdout } = await workspace.backend.exec(['sh', '-c', command]);
      expect(new TextDecoder().decode(stdout.head)).toBe('none\n');
    });

    it('is told by the cluster itself what its namespace does not take', async () => {
      const options = { kubeconfig, namespace, image: NODE_IMAGE, workspaceId: `refused-${id}` };
      const isRoot = new KubernetesWorkspace({ ...options, user: '0:0', podSecurity: 'unrestricted' });
      await expect(isRoot.initialize()).rejects.toThrow(/violates PodSecurity "restricted/u);
      await isRoot.destroy();
      const isLarge = new KubernetesWorkspace({ ...options, storageSize: '1Ti' });
      const error: unknown = await isLarge.initialize().catch((reason: unknown) => reason);
      expect(KubernetesRefusedError.isInstance(error) && error.message).toContain('maximum storage usage');
      await isLarge.destroy();
    });

    it.each([
      ['GET', `/api/v1/namespaces/${NAMES[WORKSPACES]}/secrets`],
      ['GET', `/api/v1/namespaces/${NAMES[WORKSPACES]}/configmaps`],
      ['GET', `/api/v1/namespaces/${NAMES[WORKSPACES]}/pods/any/log`],
      ['DELETE', `/api/v1/namespaces/${NAMES[WORKSPACES]}/pods`],
      ['DELETE', `/api/v1/namespaces/${NAMES[WORKSPACES]}/persistentvolumeclaims`],
      ['PATCH', `/api/v1/namespaces/${NAMES[WORKSPACES]}/pods/any`],
      ['POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMES[WORKSPACES]}/rolebindings`],
      ['POST', `/api/v1/namespaces/${NAMES[WORKSPACES]}/serviceaccounts/default/token`],
      ['DELETE', `/apis/networking.k8s.io/v1/namespaces/${NAMES[WORKSPACES]}/networkpolicies/agent-workspaces`],
      ['GET', `/api/v1/namespaces/${NAMES[SERVICE]}/secrets`],
      ['GET', `/api/v1/namespaces/${NAMES[SERVICE]}/pods`],
      ['GET', '/api/v1/namespaces/kube-system/pods'],
      ['GET', '/api/v1/namespaces/default/pods'],
      ['POST', '/api/v1/namespaces/default/pods'],
      ['GET', '/api/v1/pods'],
      ['GET', '/api/v1/namespaces'],
      ['GET', '/api/v1/nodes'],
      ['GET', '/api/v1/persistentvolumes'],
    ])('is refused %s %s', async (method, path) => {
      const cluster = await ClusterConnection.open({ kubeconfig, namespace });
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      expect(await ask(cluster, { method, path, body, contentType })).toMatchObject({
        status: 403,
        body: { reason: 'Forbidden' },
      });
    });
  });
});

/** What a Pod with this account would have. */
async function kubeconfigOf(admin: ClusterConnection, account: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
  const { body } = await ask(admin, { method: 'POST', path: `${account}/token`, body: request });
  const { token } = body['status'] as { readonly token: string };
  const config = parse(await readFile(TEST_KUBECONFIG, 'utf8')) as {
    readonly users: readonly { readonly name: string }[];
  };
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
}

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  KubeConfig,
  loadAllYaml,
  RbacAuthorizationV1Api,
  type V1PolicyRule,
  type V1Role,
} from '@kubernetes/client-node';
import { TEST_KUBECONFIG } from '@agent-workspace/testing';
import type { TestNamespace } from './test-namespace.ts';

const SHIPPED = join(import.meta.dirname, '../../../../deploy/kubernetes/base/workspaces-role.yaml');

/** A token that is valid for as long as something else is there. */
export interface BoundToken {
  readonly token: string;
  /** Removes that. The API server takes some seconds more to forget the token. */
  revoke(): Promise<void>;
}

/** What the shipped manifests let a host do. */
export async function shippedRules(): Promise<readonly V1PolicyRule[]> {
  const documents = loadAllYaml(await readFile(SHIPPED, 'utf8')) as readonly V1Role[];
  const role = documents.find(({ kind }) => kind === 'Role');
  if (role?.rules === undefined) throw new Error(`There is no Role in ${SHIPPED}.`);
  return role.rules;
}

/** Those rules without one verb of one resource. */
export function without(rules: readonly V1PolicyRule[], verb: string, resource: string): readonly V1PolicyRule[] {
  return rules.map(({ apiGroups, resources = [], verbs }) => ({
    ...(apiGroups !== undefined && { apiGroups }),
    resources,
    verbs: verbs.filter((one) => one !== verb || !resources.includes(resource)),
  }));
}

/** A host's own service account, with a Role in a namespace and nothing else. */
export class LimitedAccount {
  readonly #namespace: TestNamespace;
  readonly #name: string;
  readonly #rbac: RbacAuthorizationV1Api;

  private constructor(namespace: TestNamespace, name: string, rbac: RbacAuthorizationV1Api) {
    this.#namespace = namespace;
    this.#name = name;
    this.#rbac = rbac;
  }

  static async create(namespace: TestNamespace, rules: readonly V1PolicyRule[]): Promise<LimitedAccount> {
    const config = new KubeConfig();
    config.loadFromFile(TEST_KUBECONFIG);
    const rbac = config.makeApiClient(RbacAuthorizationV1Api);
    const { connection, name: inNamespace } = namespace;
    const name = `host-${randomUUID()}`;
    const metadata = { name };
    await connection.call('create', (o) =>
      connection.core.createNamespacedServiceAccount({ namespace: inNamespace, body: { metadata } }, o),
    );
    await connection.call('create', (o) =>
      rbac.createNamespacedRole({ namespace: inNamespace, body: { metadata, rules: [...rules] } }, o),
    );
    const body = {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: inNamespace }],
    };
    await connection.call('create', (o) => rbac.createNamespacedRoleBinding({ namespace: inNamespace, body }, o));
    return new LimitedAccount(namespace, name, rbac);
  }

  /** Takes effect within moments. */
  async allow(rules: readonly V1PolicyRule[]): Promise<void> {
    const request = { name: this.#name, namespace: this.#namespace.name };
    const body = { metadata: { name: this.#name }, rules: [...rules] };
    await this.#namespace.connection.call('replace', (o) => this.#rbac.replaceNamespacedRole({ ...request, body }, o));
  }

  async token(): Promise<BoundToken> {
    const { connection, name: namespace } = this.#namespace;
    const { core } = connection;
    const name = `token-${randomUUID()}`;
    const secret = await connection.call('create', (o) =>
      core.createNamespacedSecret({ namespace, body: { metadata: { name } } }, o),
    );
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name, uid: secret.metadata?.uid ?? '' };
    const { status } = await connection.call('make a token', (o) =>
      core.createNamespacedServiceAccountToken(
        { name: this.#name, namespace, body: { spec: { audiences: [], boundObjectRef } } },
        o,
      ),
    );
    return {
      token: status?.token ?? '',
      revoke: async () => {
        await connection.call('delete', (o) => core.deleteNamespacedSecret({ name, namespace }, o));
      },
    };
  }
}

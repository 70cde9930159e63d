import { readFile } from 'node:fs/promises';
import { TEST_KUBECONFIG } from '@agent-workspace/testing';

interface Cluster {
  readonly server: string;
  readonly 'certificate-authority-data': string;
  readonly 'insecure-skip-tls-verify'?: boolean | undefined;
}

interface User {
  readonly 'client-certificate-data'?: string | undefined;
  readonly 'client-key-data'?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** What the cluster for tests is reached with. */
export interface Access {
  readonly cluster: Cluster;
  readonly user: User;
}

export async function readAccess(): Promise<Access> {
  const { clusters, users } = JSON.parse(await readFile(TEST_KUBECONFIG, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Cluster }[];
    readonly users: readonly { readonly user: User }[];
  };
  const [cluster] = clusters;
  const [user] = users;
  if (cluster === undefined || user === undefined) throw new Error(`${TEST_KUBECONFIG} has no cluster, or no user.`);
  return { cluster: cluster.cluster, user: user.user };
}

/** The text of a kubeconfig, with something else in it than that of the cluster for tests has. */
export async function kubeconfigWith(changes: {
  readonly cluster?: Partial<Cluster> | undefined;
  readonly user?: User | undefined;
}): Promise<string> {
  const { cluster, user } = await readAccess();
  const config = {
    clusters: [{ name: 'c', cluster: { ...cluster, ...changes.cluster } }],
    users: [{ name: 'u', user: changes.user ?? user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  // A text is known by its lines.
  return JSON.stringify(config, undefined, 2);
}

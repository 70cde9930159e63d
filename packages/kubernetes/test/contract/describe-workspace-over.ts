import { randomUUID } from 'node:crypto';
import type { Connector, GatewayInstallation, Sandbox, SandboxStart } from '@agent-workspace/gateway-client';
import { describeWorkspaceContract, type FixtureServerName, runsLongSuite } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { OWN_NODE } from '../../src/bootstrap/layout.ts';
import { KubernetesWorkspace, type KubernetesWorkspaceOptions, type TransportKind } from '../../src/index.ts';
import type { KubernetesSandbox } from '../../src/kubernetes-sandbox.ts';
import { hasKubernetes } from '../support/cluster.ts';
import { TestNamespace } from '../support/test-namespace.ts';
import { clean, endProcesses } from './clean-pod.ts';
import { FIXTURE_SERVERS, PodPool } from './pod-pool.ts';

/** A Pod that was there before, and stays: to stop it ends all that runs in it. */
class LentSandbox implements Sandbox {
  readonly #lent: Sandbox;
  readonly kind: string;
  readonly workdir: string;
  readonly isPersistent: boolean;
  readonly gateway: GatewayInstallation;
  readonly connect: Connector;
  readonly run: Sandbox['run'];
  readonly putFile: Sandbox['putFile'];

  constructor(lent: Sandbox) {
    this.#lent = lent;
    this.kind = lent.kind;
    this.workdir = lent.workdir;
    this.isPersistent = lent.isPersistent;
    this.gateway = lent.gateway;
    this.connect = lent.connect;
    this.run = (argv, options) => lent.run(argv, options);
    this.putFile = (file) => lent.putFile(file);
  }

  get connections(): number | undefined {
    return this.#lent.connections;
  }

  start({ signal }: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    signal.throwIfAborted();
    return Promise.resolve('found');
  }

  async stop(): Promise<void> {
    await endProcesses(this.run);
  }

  destroy(): Promise<void> {
    return this.stop();
  }
}

interface PooledWorkspaceOptions {
  readonly sandbox: KubernetesSandbox;
  readonly onDestroyed: () => void;
}

/** A `KubernetesWorkspace` but for the making of its Pod. */
class PooledWorkspace extends KubernetesWorkspace {
  readonly #pooled: PooledWorkspaceOptions;

  constructor(options: KubernetesWorkspaceOptions, pooled: PooledWorkspaceOptions) {
    super(options);
    this.#pooled = pooled;
  }

  protected override createSandbox(): Sandbox {
    return new LentSandbox(this.#pooled.sandbox);
  }

  protected override async destroyBackend(): Promise<void> {
    await clean((argv) => this.#pooled.sandbox.run(argv));
    this.#pooled.onDestroyed();
  }
}

function fixtureServer(name: FixtureServerName, argument?: string): { command: string; args: string[] } {
  return { command: OWN_NODE, args: [FIXTURE_SERVERS, name, ...(argument === undefined ? [] : [argument])] };
}

/** The root of a Pod's file system has none, and searches are to find something there. */
const FILE_BESIDE_WORKDIR: KubernetesWorkspaceOptions['podTemplate'] = {
  spec: {
    volumes: [{ name: 'facts', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } }],
    containers: [
      { name: 'workspace', volumeMounts: [{ name: 'facts', mountPath: '/pod-name', subPath: 'name', readOnly: true }] },
    ],
  },
};

/**
 * The workspace contract over one transport. Its tests take turns with a few Pods, each of them empty when a test
 * gets it; how Pods come and go has tests of its own.
 */
export function describeWorkspaceOver(transport: TransportKind): void {
  // What travels over each is what the backend contract tries over each.
  const isUsual = transport === 'pod-ip';
  const runs = hasKubernetes && (isUsual || runsLongSuite(`the workspace contract of Kubernetes over ${transport}`));
  describe.skipIf(!runs)('kubernetes', () => {
    const managerId = `test-${randomUUID()}`;
    const places = new Map<string, KubernetesSandbox>();
    let namespace: TestNamespace;
    let pool: PodPool;

    beforeAll(async () => {
      namespace = await TestNamespace.create();
      pool = new PodPool({ ...namespace.options, managerId, transport, podTemplate: FILE_BESIDE_WORKDIR });
    });

    describeWorkspaceContract(`kubernetes, over ${transport}`, {
      async create(place, options) {
        const sandbox = places.get(place) ?? (await pool.take());
        places.set(place, sandbox);
        const onDestroyed = (): void => void places.delete(place);
        return new PooledWorkspace(
          { ...namespace.options, ...options, managerId, transport },
          { sandbox, onDestroyed },
        );
      },
      async cleanUp(place) {
        const sandbox = places.get(place);
        places.delete(place);
        if (sandbox !== undefined) pool.giveBack(sandbox);
      },
      fixtureServer,
    });

    afterAll(async () => {
      await pool.end();
      await namespace[Symbol.asyncDispose]();
    });
  });
}

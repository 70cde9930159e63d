import { randomUUID } from 'node:crypto';
import type { Connector, GatewayInstallation, Sandbox, SandboxStart } from '@agent-workspace/gateway-client';
import { describeWorkspaceContract, runsLongSuite } from '@agent-workspace/testing';
import { afterAll, describe } from 'vitest';
import { DockerEngine } from '../../src/engine/docker-engine.ts';
import { DockerWorkspace, type DockerWorkspaceOptions, type TransportKind } from '../../src/index.ts';
import { hasDocker } from '../engine.ts';
import { ensureFixtureImage, fixtureServer } from '../fixture-image.ts';
import { endProcessesIn } from './clean-container.ts';
import { ContainerPool, type PooledContainer } from './container-pool.ts';

/** A container that was there before, and stays: to stop it ends all that runs in it. */
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
    await endProcessesIn(this.#lent);
  }

  destroy(): Promise<void> {
    return this.stop();
  }
}

interface PooledWorkspaceOptions {
  readonly container: PooledContainer;
  readonly onDestroyed: () => void;
}

/** A `DockerWorkspace` but for the making of its container. */
class PooledWorkspace extends DockerWorkspace {
  readonly #pooled: PooledWorkspaceOptions;

  constructor(options: DockerWorkspaceOptions, pooled: PooledWorkspaceOptions) {
    super({ ...options, workdir: pooled.container.directory });
    this.#pooled = pooled;
  }

  protected override createSandbox(): Sandbox {
    return new LentSandbox(this.#pooled.container.sandbox);
  }

  /** The contract's `destroy()` means the data, and those of a directory go only where that is said. */
  override async destroy(): Promise<void> {
    await super.destroy({ workdir: true });
    this.#pooled.onDestroyed();
  }
}

/**
 * The workspace contract over one transport. Its tests take turns with a few containers, each of them
 * empty when a test gets it; how containers come and go has tests of its own.
 */
export function describeWorkspaceOver(transport: TransportKind): void {
  // A process of its own for each connection. What travels over it is what the backend contract tries over each.
  const takesLong = transport === 'exec';
  const runs = hasDocker && (!takesLong || runsLongSuite(`the workspace contract of Docker over ${transport}`));
  describe.skipIf(!runs)('docker', async () => {
    const managerId = `test-${randomUUID()}`;
    const baseImage = runs ? await ensureFixtureImage(await DockerEngine.connect()) : undefined;
    const pool = new ContainerPool({ managerId, baseImage, transport });
    const places = new Map<string, PooledContainer>();

    describeWorkspaceContract(`docker, over ${transport}`, {
      async create(place, options) {
        const container = places.get(place) ?? (await pool.take());
        places.set(place, container);
        const onDestroyed = (): void => void places.delete(place);
        return new PooledWorkspace({ ...options, managerId, baseImage, transport }, { container, onDestroyed });
      },
      async cleanUp(place) {
        const container = places.get(place);
        places.delete(place);
        if (container !== undefined) pool.giveBack(container);
      },
      fixtureServer,
    });

    afterAll(() => pool.end());
  });
}

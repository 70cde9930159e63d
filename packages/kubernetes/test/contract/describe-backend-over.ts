import { randomUUID } from 'node:crypto';
import { silentLogger } from '@agent-workspace/core';
import { GatewayBackend, GatewayKeeper } from '@agent-workspace/gateway-client';
import { describeBackendContract } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import type { TransportKind } from '../../src/index.ts';
import { KubernetesSandbox } from '../../src/kubernetes-sandbox.ts';
import { hasKubernetes } from '../support/cluster.ts';
import { TestNamespace } from '../support/test-namespace.ts';
import { clean, OUTSIDE_DIRECTORY, type Run } from './clean-pod.ts';

/** Ends what one test has started, and leaves the connections to the next. */
class LentBackend extends GatewayBackend {
  override close(): Promise<void> {
    return this.endProcesses();
  }
}

/**
 * The backend contract over one transport. One Pod serves all of it: making one takes longer than most of the
 * tests, and each of them gets it with no process, and no file, of another's.
 */
export function describeBackendOver(transport: TransportKind): void {
  describe.skipIf(!hasKubernetes)('kubernetes', () => {
    const { signal } = new AbortController();
    const logger = silentLogger;
    let namespace: TestNamespace;
    let sandbox: KubernetesSandbox;
    let keeper: GatewayKeeper;

    const lent = (): LentBackend =>
      new LentBackend({ client: keeper.client, kind: sandbox.kind, workdir: sandbox.workdir });

    /** An exec by the cluster takes longer than most of the tests. */
    const runByGateway: Run = async (argv) => {
      const { end, stdout, stderr } = await lent().exec(argv, { cwd: '/' });
      const text = ({ head, tail }: typeof stdout): string => Buffer.concat([head, tail]).toString('utf8');
      return { exitCode: end.kind === 'exited' ? end.exitCode : -1, stdout: text(stdout), stderr: text(stderr) };
    };

    beforeAll(async () => {
      namespace = await TestNamespace.create();
      sandbox = new KubernetesSandbox({ ...namespace.options, workspaceId: randomUUID(), transport, logger });
      keeper = new GatewayKeeper({ sandbox, logger });
      await keeper.startSandbox({ signal });
      await keeper.start({ signal });
    });

    afterAll(async () => {
      await keeper.close();
      await namespace[Symbol.asyncDispose]();
    });

    describeBackendContract(`GatewayBackend in a Pod, over ${transport}`, {
      outsideDirectory: OUTSIDE_DIRECTORY,
      async create() {
        return lent();
      },
      async destroy() {
        const left = await clean(runByGateway);
        if (left !== '') throw new Error(`The backend was closed, and this ran on:\n${left}`);
      },
    });
  });
}

import { runsLongSuite } from '@agent-workspace/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { listManagedPods } from '../src/index.ts';
import { GATED, openGate } from './support/gate.ts';
import { canRestartParts, restartPart } from './support/restart-part.ts';
import { beginCommand, outcomeOf, shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 300_000 };
/** The cluster's own parts take up to half a minute to notice that the API server is back. */
const BACK = { timeout: 200_000 };
const runs = canRestartParts && runsLongSuite('the restarts of parts of the cluster');
const PARTS = ['apiserver', 'kubelet'] as const;
const BY_API_SERVER = ['port-forward', 'exec'] as const;

describe.skipIf(!runs)('a cluster whose parts are killed', () => {
  const tests = useKubernetes();

  // The scheduler hears of volumes later than of Pods once the API server is back, and such a Pod is not looked at again.
  beforeEach(async () => {
    const comesUp = async (): Promise<unknown> => {
      const workspace = tests.make({ startTimeoutMs: 15_000, deleteVolumeOnClose: true });
      const { code } = await outcomeOf(workspace.initialize());
      await workspace.close();
      return code;
    };
    await expect.poll(comesUp, BACK).toBe('no error');
  }, BACK.timeout);

  describe.each(PARTS)('the %s, killed and started again', (part) => {
    it('does nothing to a command that is reached by the address of its Pod', SLOW, async () => {
      const workspace = await tests.open({ transport: 'pod-ip' });
      const begun = Promise.withResolvers<void>();
      const running = workspace.backend.exec(
        ['sh', '-c', 'echo begun; until [ -e go ]; do sleep 0.05; done; echo done'],
        {
          onOutput: () => begun.resolve(),
        },
      );
      await begun.promise;
      const restarted = restartPart(part);
      expect(await shell(workspace, 'echo well')).toBe('well\n');
      await restarted;
      await workspace.backend.writeFile('/workspace/go', '');
      const { end, stdout } = await running;
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(Buffer.from(stdout.head).toString()).toBe('begun\ndone\n');
      await workspace.close();
      expect(await tests.namespace.pods()).toStrictEqual([]);
    });

    it.each(BY_API_SERVER)(
      'ends the command in flight over %s, or not, and the next one runs in the same Pod',
      SLOW,
      async (transport) => {
        const workspace = await tests.open({ transport });
        await workspace.backend.writeFile('/workspace/a', 'kept');
        const background = await workspace.backend.startBackground([
          'sh',
          '-c',
          'until [ -e go ]; do sleep 0.05; done',
        ]);
        const uid = (await tests.namespace.pod()).metadata?.uid;
        const { ended } = await beginCommand(workspace);
        await restartPart(part);
        // A node's streams outlive its kubelet where the runtime has them.
        await expect.poll(() => shell(workspace, 'cat a').catch(String), BACK).toBe('kept');
        await workspace.backend.writeFile('/workspace/go', '');
        expect(await background.wait()).toStrictEqual({ kind: 'exited', exitCode: 0 });
        expect((await tests.namespace.pod()).metadata?.uid).toBe(uid);
        await workspace.close();
        expect((await ended).code).toMatch(/^(no error|gateway-connection-lost|workspace-closed|gateway-unreachable)$/);
        expect(await tests.namespace.pods()).toStrictEqual([]);
      },
    );

    it('does not keep a Pod that is waited for from coming up', SLOW, async () => {
      const opening = tests.open(GATED);
      await expect.poll(async () => (await tests.namespace.pods()).length, BACK).toBe(1);
      await restartPart(part);
      await openGate(tests.namespace);
      expect(await shell(await opening, 'echo well')).toBe('well\n');
    });

    it('does not keep a Pod that is made anew from coming back', SLOW, async () => {
      const workspace = await tests.open({ transport: 'port-forward' });
      await workspace.backend.writeFile('/workspace/a', 'kept');
      await tests.namespace.deletePod((await tests.namespace.pod()).name);
      const restarted = restartPart(part);
      await expect.poll(() => shell(workspace, 'cat a').catch(String), BACK).toBe('kept');
      await restarted;
    });

    it('lets a close() end, or fail so that it may be called again', SLOW, async () => {
      const workspace = await tests.open({ transport: 'exec' });
      const closing = outcomeOf(workspace.close());
      const restarted = restartPart(part);
      const { code } = await closing;
      expect(code).toMatch(/^(no error|kubernetes-unavailable)$/);
      await restarted;
      await expect.poll(() => outcomeOf(workspace.close()), BACK).toMatchObject({ code: 'no error' });
      expect(await tests.namespace.pods()).toStrictEqual([]);
    });
  });

  it('an API server that is away is told, and found again', SLOW, async () => {
    await tests.open({ workspaceId: 'there' });
    const list = (): Promise<unknown> => listManagedPods({ ...tests.namespace.options, managerId: tests.managerId });
    const restarted = restartPart('apiserver');
    await expect
      .poll(() => outcomeOf(list()), { ...BACK, interval: 20 })
      .toMatchObject({ code: 'kubernetes-unavailable' });
    await restarted;
    expect(await list()).toMatchObject([{ workspaceId: 'there', isRunning: true }]);
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OWN_DIRECTORY } from '../src/bootstrap/layout.ts';
import type { KubernetesWorkspace, KubernetesWorkspaceOptions } from '../src/index.ts';
import { hasKubernetes } from './support/cluster.ts';
import { beginCommand, outcomeOf, shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 240_000 };
const BACK = { timeout: 120_000 };
/** Prints the process that the container lives by. */
const MAIN_PID = `for one in /proc/[0-9]*; do case $(tr '\\0' ' ' <$one/cmdline) in 'sleep 2147483647 ') echo \${one#/proc/} ;; esac; done`;
/** With a directory whose files are in memory. */
const LITTLE_MEMORY: KubernetesWorkspaceOptions = {
  resources: { limits: { memory: '300Mi' } },
  podTemplate: {
    spec: {
      volumes: [{ name: 'memory', emptyDir: { medium: 'Memory' } }],
      containers: [{ name: 'workspace', volumeMounts: [{ name: 'memory', mountPath: '/memory' }] }],
    },
  },
};
/** And no further, or the next one to be ended is the container's own process: one that is not reaped yet has no arguments. */
const FILL_UNTIL_GATEWAY_IS_GONE = `
pid=$(cat ${OWN_DIRECTORY}/gateway.pid); n=0
while grep -q gateway /proc/$pid/cmdline 2>/dev/null && [ $n -lt 100 ]; do n=$((n + 1)); head -c 4M /dev/zero >/memory/$n; done
rm -f /memory/?
`;
const OUT_OF_MEMORY = {
  code: 'gateway-connection-lost',
  message: expect.stringContaining('(OOMKilled)') as string,
};
const TRANSPORTS = ['pod-ip', 'port-forward', 'exec'] as const;

describe.skipIf(!hasKubernetes)('killed on purpose', () => {
  const tests = useKubernetes();

  /** Until its files are there again. */
  async function isBack(workspace: KubernetesWorkspace): Promise<void> {
    await expect.poll(() => shell(workspace, 'cat a runs').catch(String), BACK).toBe('keptx\n');
  }

  describe('the gateway', () => {
    it.each(TRANSPORTS)(
      'over %s: fails the command in flight, is back, and what ran lives on',
      SLOW,
      async (transport) => {
        const workspace = await tests.open({ transport });
        await workspace.backend.writeFile('/workspace/a', 'kept');
        const background = await workspace.backend.startBackground([
          'sh',
          '-c',
          'until [ -e go ]; do sleep 0.05; done',
        ]);
        const before = await tests.gatewayPid();
        const { ended } = await beginCommand(workspace);
        await tests.killGateway();
        expect(await ended).toMatchObject({ code: 'gateway-connection-lost' });
        await isBack(workspace);
        expect(await tests.gatewayPid()).not.toBe(before);
        await workspace.backend.writeFile('/workspace/go', '');
        expect(await background.wait()).toStrictEqual({ kind: 'exited', exitCode: 0 });
      },
    );
  });

  describe('the Pod', () => {
    it.each(TRANSPORTS)(
      'deleted by somebody else, over %s: said so, then back with its claim',
      SLOW,
      async (transport) => {
        const workspace = await tests.open({ transport });
        await workspace.backend.writeFile('/workspace/a', 'kept');
        const { name, metadata } = await tests.namespace.pod();
        const { ended } = await beginCommand(workspace);
        await tests.namespace.deletePod(name);
        expect(await ended).toMatchObject({
          code: 'gateway-connection-lost',
          message: expect.stringMatching(/its Pod (is being|was) deleted|its Pod has ended/),
        });
        await isBack(workspace);
        expect((await tests.namespace.pod()).metadata?.uid).not.toBe(metadata?.uid);
        await workspace.close();
        expect(await tests.namespace.pods()).toStrictEqual([]);
      },
    );

    it('deleted without grace: back with its claim', SLOW, async () => {
      const workspace = await tests.open();
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const { ended } = await beginCommand(workspace);
      await tests.namespace.deletePod((await tests.namespace.pod()).name, { force: true });
      expect((await ended).code).toMatch(/^gateway-(connection-lost|unreachable)$/);
      await isBack(workspace);
    });

    it('evicted by its node: said so, then back with its claim', SLOW, async () => {
      const workspace = await tests.open({ resources: { limits: { 'ephemeral-storage': '20Mi' } } });
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const { ended } = await beginCommand(workspace);
      await tests.inside('head -c 60000000 /dev/urandom >/tmp/too-much');
      expect(await ended).toMatchObject({
        code: 'gateway-connection-lost',
        message: expect.stringContaining('(Evicted)'),
      });
      await isBack(workspace);
    });

    it('out of memory in its own process: said so, then back with its claim', SLOW, async () => {
      const workspace = await tests.open(LITTLE_MEMORY);
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const { metadata } = await tests.namespace.pod();
      const { ended } = await beginCommand(workspace);
      // What nobody holds in memory is left when the gateway is gone, and then there is nothing else to end.
      await tests
        .inside(`echo 1000 >/proc/$(${MAIN_PID})/oom_score_adj; head -c 400M /dev/zero >/memory/file`)
        .catch(() => undefined);
      expect(await ended).toMatchObject(OUT_OF_MEMORY);
      await isBack(workspace);
      expect((await tests.namespace.pod()).metadata?.uid).not.toBe(metadata?.uid);
    });

    it('out of memory in its gateway: said so, then back', SLOW, async () => {
      const workspace = await tests.open(LITTLE_MEMORY);
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const { metadata } = await tests.namespace.pod();
      const { ended } = await beginCommand(workspace);
      await tests.inside(FILL_UNTIL_GATEWAY_IS_GONE).catch(() => undefined);
      expect(await ended).toMatchObject(OUT_OF_MEMORY);
      const free = 'rm -f /memory/* && echo free';
      await expect.poll(() => tests.inside(free).catch(String), BACK).toBe('free\n');
      await isBack(workspace);
      expect((await tests.namespace.pod()).metadata?.uid).toBe(metadata?.uid);
    });

    it('by its own agent, which kills all that it may: back with its claim', SLOW, async () => {
      const workspace = await tests.open();
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const { ended } = await beginCommand(workspace);
      const { code } = await outcomeOf(shell(workspace, 'kill -9 -1'));
      expect(code).toMatch(/^(no error|gateway-connection-lost)$/);
      expect((await ended).code).toMatch(/^(no error|gateway-connection-lost)$/);
      await isBack(workspace);
    });
  });

  describe('the claim', () => {
    it(
      'deleted while its Pod runs: it is lost to a host that comes, and not to those that are there',
      SLOW,
      async () => {
        const workspace = await tests.open();
        const { workspaceId } = workspace;
        const { core } = tests.namespace.connection;
        const { name, metadata } = await tests.namespace.pod();
        const request = { name, namespace: tests.namespace.name };
        await tests.namespace.connection.call('delete', (o) => core.deleteNamespacedPersistentVolumeClaim(request, o));
        await expect(tests.make({ workspaceId }).initialize()).rejects.toMatchObject({ code: 'workspace-lost' });
        expect(await shell(workspace, 'echo well')).toBe('well\n');
        expect((await tests.namespace.pod()).metadata?.uid).toBe(metadata?.uid);
        await workspace.close();
        // It is there a moment longer than its Pod.
        expect(await shell(await tests.open({ workspaceId }), 'ls')).toBe('');
      },
    );

    it('deleted with the Pod: it is lost, and never an empty one instead', SLOW, async () => {
      const workspaceId = randomUUID();
      const workspace = await tests.open({ workspaceId });
      await workspace.backend.writeFile('/workspace/a', 'lost');
      const { core } = tests.namespace.connection;
      const { name } = await tests.namespace.pod();
      const request = { name, namespace: tests.namespace.name };
      await tests.namespace.connection.call('delete', (o) => core.deleteNamespacedPersistentVolumeClaim(request, o));
      await tests.namespace.deletePod(name);
      await expect.poll(() => outcomeOf(shell(workspace, 'ls')).then(({ code }) => code), BACK).toBe('workspace-lost');
      expect(workspace.isAlive).toBe(false);
      await expect.poll(() => tests.namespace.pods(), BACK).toStrictEqual([]);
      await workspace.close();
      const anew = await tests.open({ workspaceId });
      expect(await shell(anew, 'ls')).toBe('');
    });
  });
});

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ExecStream, type PodReference } from '../src/exec/exec-stream.ts';
import { PortForwardStream } from '../src/exec/port-forward-stream.ts';
import { runCommand } from '../src/exec/run-command.ts';
import { CONTAINER } from '../src/pod/pod-spec.ts';
import { hasKubernetes } from './support/cluster.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { beginCommand, outcomeOf, shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 240_000 };
const SOON = { timeout: 120_000 };
const TRANSPORTS = ['pod-ip', 'port-forward', 'exec'] as const;
const { signal } = new AbortController();

const CODES: readonly number[] = Array.from({ length: 100 }, (_, index) => index);

/** Does something for each of the codes, a few at once. @returns what came of each, in their order */
async function forEachCode<T>(work: (code: number) => Promise<T>): Promise<readonly (T | undefined)[]> {
  const results = new Map<number, T>();
  const left = CODES.values();
  const next = async (): Promise<void> => {
    for (const code of left) results.set(code, await work(code));
  };
  await Promise.all([next(), next(), next(), next()]);
  return CODES.map((code) => results.get(code));
}

/** Process ids of commands in a Pod whose line has this in it; the one that looks has it not. */
function pidsOf(text: string): string {
  const pattern = `[${text.slice(0, 1)}]${text.slice(1)}`;
  return `for d in /proc/[0-9]*; do tr '\\0' ' ' <$d/cmdline 2>/dev/null | grep -q '${pattern}' && echo \${d#/proc/}; done; true`;
}

describe.skipIf(!hasKubernetes)('faults of streams that people reported', () => {
  const tests = useKubernetes();

  async function thePod(): Promise<PodReference> {
    const { name } = await tests.namespace.pod();
    return { connection: tests.namespace.connection, name, container: CONTAINER };
  }

  // kubernetes-client/javascript#465, kubernetes/kubernetes#89899
  it('[K01] the end of stdin takes neither the status of a command nor the rest of its output', SLOW, async () => {
    await tests.open();
    const sent = randomBytes(5_000_000);
    const stream = await ExecStream.open(await thePod(), ['sh', '-c', 'cat; echo all >&2; exit 7'], { signal });
    stream.end(sent);
    const came = await buffer(stream);
    expect(came.length).toBe(sent.length);
    expect(came.equals(sent)).toBe(true);
    expect(stream.stderr).toBe('all\n');
    expect(stream.status).toMatchObject({
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  it.each([0, 200])(
    '[K01] a command that ends before it has read %d bytes of stdin has its exit code told',
    SLOW,
    async (bytes) => {
      await tests.open();
      const pod = await thePod();
      const stdin = Buffer.alloc(bytes);
      const results = await forEachCode((code) =>
        runCommand(pod, ['sh', '-c', `echo ${code}; exit ${code}`], { stdin }),
      );
      expect(results).toStrictEqual(CODES.map((code) => ({ exitCode: code, stdout: `${code}\n`, stderr: '' })));
    },
  );

  // kubernetes-client/javascript#465, kubernetes/kubernetes#89899
  it.each(TRANSPORTS)('[K01] the same over %s, by a workspace', SLOW, async (transport) => {
    const workspace = await tests.open({ transport });
    const sent = randomBytes(5_000_000);
    const came = createHash('sha256');
    const { end, stdout } = await workspace.backend.exec(['sh', '-c', 'cat; exit 7'], {
      stdin: sent,
      onOutput: ({ bytes }) => void came.update(bytes),
    });
    expect(end).toStrictEqual({ kind: 'exited', exitCode: 7 });
    expect(stdout.totalBytes).toBe(sent.length);
    expect(came.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
  });

  // kubernetes-client/javascript#714
  it('[K02] how a command ended is told every time', SLOW, async () => {
    await tests.open();
    const pod = await thePod();
    const told = await forEachCode(async (code) => {
      const { exitCode, stdout } = await runCommand(pod, ['sh', '-c', `echo ${code}; exit ${code}`]);
      return [exitCode, stdout];
    });
    expect(told).toStrictEqual(CODES.map((code) => [code, `${code}\n`]));
  });

  // kubernetes-client/javascript#714
  it('[K02] the same by a workspace, over exec', SLOW, async () => {
    const workspace = await tests.open({ transport: 'exec' });
    const told = await forEachCode(async (code) => (await workspace.backend.exec(['sh', '-c', `exit ${code}`])).end);
    expect(told).toStrictEqual(CODES.map((exitCode) => ({ kind: 'exited', exitCode })));
  });

  // kubernetes-client/javascript#2532
  it.each(TRANSPORTS)('[K03] nothing runs on of a command that was given up, over %s', SLOW, async (transport) => {
    const workspace = await tests.open({ transport });
    const mark = `8640${Math.trunc(Math.random() * 10_000) + 10_000}`;
    const argv = ['sh', '-c', `sleep ${mark} & echo begun; sleep ${mark}`];
    const controller = new AbortController();
    const aborted = workspace.backend.exec(argv, { signal: controller.signal, onOutput: () => controller.abort() });
    const timedOut = workspace.backend.exec(argv, { timeoutMs: 1_000 });
    expect((await aborted).end).toStrictEqual({ kind: 'aborted' });
    expect((await timedOut).end).toStrictEqual({ kind: 'timed-out', timeoutMs: 1_000 });
    await expect.poll(() => tests.inside(pidsOf(`sleep ${mark}`)), SOON).toBe('');
    expect(await shell(workspace, 'echo well')).toBe('well\n');
  });

  // kubernetes-client/javascript#2532
  it('[K03] nothing runs on of a relay whose connection broke', SLOW, async () => {
    await using proxy = await TcpProxy.start();
    const workspace = await tests.open({ transport: 'exec', kubeconfig: proxy.kubeconfig });
    const { ended } = await beginCommand(workspace);
    const relays = async (): Promise<string[]> => (await tests.inside(pidsOf('allowHalfOpen'))).trim().split('\n');
    const before = await relays();
    expect(before.join('')).toMatch(/^\d+$/);
    proxy.reset();
    expect(await ended).toMatchObject({ code: 'gateway-connection-lost' });
    await expect.poll(async () => (await relays()).filter((pid) => before.includes(pid)), SOON).toStrictEqual([]);
    expect(await shell(workspace, 'echo well')).toBe('well\n');
    await workspace.close();
  });

  // kubernetes/kubectl#686, kubernetes/kubectl#926, kubernetes/kubernetes#67059
  it('[K07] a forward does not outlive its Pod: what comes after goes to the one that follows', SLOW, async () => {
    const workspaceId = randomUUID();
    const first = await tests.open({ workspaceId, transport: 'port-forward' });
    const second = await tests.open({ workspaceId, transport: 'port-forward' });
    await first.backend.writeFile('/workspace/a', 'kept');
    expect(await shell(second, 'cat a')).toBe('kept');
    const { name, metadata } = await tests.namespace.pod();
    await tests.namespace.deletePod(name);
    const isThere = async (): Promise<boolean> =>
      (await tests.namespace.pods()).some((pod) => pod.metadata?.uid === metadata?.uid);
    // While it ends, it answers.
    await expect.poll(isThere, SOON).toBe(false);
    // The one makes the Pod anew, of the same name, and the other finds it.
    await expect.poll(() => shell(first, 'cat a').catch(String), SOON).toBe('kept');
    await expect.poll(() => shell(second, 'cat a').catch(String), SOON).toBe('kept');
    expect((await tests.namespace.pod()).name).toBe(name);
    expect((await tests.namespace.pod()).metadata?.uid).not.toBe(metadata?.uid);
  });

  // kubernetes/kubectl#1169
  it('[K08] a connection that is refused takes no other with it', SLOW, async () => {
    const workspace = await tests.open({ transport: 'port-forward' });
    const port = 40_404;
    const server = `require('node:net').createServer((s) => s.pipe(s)).listen(${port}, () => console.log('listens'))`;
    const background = await workspace.backend.startBackground(['node', '-e', server]);
    await expect.poll(() => shell(workspace, `cat ${background.logPath}`), SOON).toBe('listens\n');
    const pod = await thePod();
    const echo = await PortForwardStream.open(pod, port, { signal });
    const asked = async (word: string): Promise<string> => {
      const came = once(echo, 'data');
      echo.write(word);
      return String((await came)[0]);
    };
    expect(await asked('one')).toBe('one');
    const refused = async (): Promise<unknown> => {
      const stream = await PortForwardStream.open(pod, port + 1, { signal });
      return outcomeOf(buffer(stream));
    };
    expect(await Promise.all([refused(), refused(), refused()])).toMatchObject([
      { code: 'gateway-unreachable' },
      { code: 'gateway-unreachable' },
      { code: 'gateway-unreachable' },
    ]);
    expect(await asked('two')).toBe('two');
    // The gateway's own go with it, and are told; the next come by a new one.
    const inFlight = await Promise.all([beginCommand(workspace), beginCommand(workspace)]);
    await tests.killGateway();
    expect(await Promise.all(inFlight.map(({ ended }) => ended))).toMatchObject([
      { code: 'gateway-connection-lost' },
      { code: 'gateway-connection-lost' },
    ]);
    expect(await asked('three')).toBe('three');
    await expect.poll(() => shell(workspace, 'echo well').catch(String), SOON).toBe('well\n');
    expect(await asked('four')).toBe('four');
    echo.destroy();
  });
});

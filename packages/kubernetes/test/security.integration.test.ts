import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { OWN_DIRECTORY } from '../src/bootstrap/layout.ts';
import { applyNetworkPolicy } from '../src/index.ts';
import { DEFAULT_GATEWAY_PORT } from '../src/kubernetes-options.ts';
import { hasKubernetes } from './support/cluster.ts';
import { shell, useKubernetes } from './support/use-kubernetes.ts';

const SLOW = { timeout: 180_000 };
/** Arguments and environment of every process that may be looked at. */
const PROCESSES = 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"; true';

describe.skipIf(!hasKubernetes)('the Pod of a workspace, in a namespace that enforces the restricted standard', () => {
  const tests = useKubernetes();

  it('has no capabilities, may gain none, and knows nothing of the cluster', SLOW, async () => {
    const workspace = await tests.open();
    const facts = await shell(
      workspace,
      'grep -E "CapBnd|CapEff|NoNewPrivs|Seccomp:" /proc/self/status; ls /var/run/secrets 2>&1',
    );
    expect(facts).toMatch(
      /^CapEff:\t0{16}\nCapBnd:\t0{16}\nNoNewPrivs:\t1\nSeccomp:\t2\nls: cannot access .*No such file or directory\n$/,
    );
    // Of no other service than the API server's, which every Pod is told of.
    expect(await tests.inside('env | grep _SERVICE_ | grep -v ^KUBERNETES_; true')).toBe('');
    const { spec } = await tests.namespace.pod();
    expect(spec?.volumes?.map(({ name }) => name).toSorted()).toStrictEqual(['agent-workspace', 'workspace']);
  });

  it('has its token nowhere where it could be read', SLOW, async () => {
    const workspaceId = randomUUID();
    const one = await tests.open({ workspaceId });
    // What a second host does is watched while it does it.
    const watching = tests.inside(`for i in $(seq 400); do ${PROCESSES}; [ -e /tmp/stop ] && break; sleep 0.01; done`);
    const two = await tests.open({ workspaceId });
    await shell(two, 'touch /tmp/stop');
    const tokens = [...one.tokens, ...two.tokens];
    expect(tokens).toHaveLength(2);
    const { connection, name: namespace } = tests.namespace;
    const { name, ...pod } = await tests.namespace.pod();
    const shown = {
      pod: JSON.stringify(pod),
      events: JSON.stringify(await tests.namespace.events()),
      log: await connection.call('read', (o) => connection.core.readNamespacedPodLog({ name, namespace }, o)),
      processesMeanwhile: await watching,
      processes: await tests.inside(PROCESSES),
      gatewayLog: await tests.inside(`cat ${OWN_DIRECTORY}/gateway.log*`),
    };
    expect(shown.processesMeanwhile).toContain('gateway.cjs');
    for (const token of tokens) {
      for (const [where, content] of Object.entries(shown)) {
        expect({ where, isThere: content.includes(token) }).toEqual({ where, isThere: false });
      }
      // The pattern comes by stdin, so that the search does not find itself.
      const search =
        'IFS= read -r token; printf %s "$token" | grep -rlFf - --devices=skip --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev / 2>/dev/null; true';
      expect(await tests.inside(search, { stdin: `${token}\n` })).toBe('');
    }
  });

  it.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['a token that is none', { authorization: 'Bearer guess' }],
    ['a foreign Host, and the token', { host: 'evil.example', authorization: 'Bearer %' }],
    ['an Origin, and the token', { origin: 'http://localhost', authorization: 'Bearer %' }],
  ])('refuses whoever reaches its address: %s', SLOW, async (_what, headers) => {
    const workspace = await tests.open({ transport: 'pod-ip' });
    await expect
      .poll(async () => (await tests.namespace.pod()).status?.podIP, { timeout: 30_000 })
      .toBeTypeOf('string');
    const host = (await tests.namespace.pod()).status?.podIP ?? '';
    const [token = ''] = workspace.tokens;
    const given = Object.entries(headers).map(([name, value]) => [name, value.replace('%', token)]);
    expect([401, 403]).toContain(await tryToRun(host, Object.fromEntries(given)));
    expect(await shell(workspace, 'ls /tmp')).toBe('');
  });

  it(
    'listens on no network where it is reached by commands, and on its own loopback where by a forward',
    SLOW,
    async () => {
      // Local addresses of sockets that listen, as /proc has them, in the order of the host's bytes.
      const listening = `awk '$4 == "0A" { print $2 }' /proc/net/tcp /proc/net/tcp6`;
      const byExec = await tests.open({ transport: 'exec' });
      expect(await shell(byExec, listening)).toBe('');
      await byExec.close();
      const byForward = await tests.open({ transport: 'port-forward' });
      const port = DEFAULT_GATEWAY_PORT.toString(16).toUpperCase();
      expect(await shell(byForward, listening)).toBe(`0100007F:${port}\n`);
    },
  );

  it('can be kept from other Pods by a policy, which the cluster takes', SLOW, async () => {
    const { options, connection, name: namespace } = tests.namespace;
    await applyNetworkPolicy(options);
    await applyNetworkPolicy({ ...options, allowFrom: [{ podSelector: { matchLabels: { app: 'agent-service' } } }] });
    const name = 'agent-workspace-deny-ingress';
    const { networking } = connection;
    const { spec } = await connection.call('read', (o) =>
      networking.readNamespacedNetworkPolicy({ name, namespace }, o),
    );
    expect(spec).toMatchObject({
      podSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'agent-workspace' } },
      policyTypes: ['Ingress'],
      ingress: [{ _from: [{ podSelector: { matchLabels: { app: 'agent-service' } } }] }],
    });
  });
});

/** Asks for a command that would leave a file. @returns the status */
async function tryToRun(host: string, headers: Record<string, string>): Promise<number | undefined> {
  const asking = request({
    host,
    port: DEFAULT_GATEWAY_PORT,
    method: 'POST',
    path: '/exec',
    headers: { 'content-type': 'application/vnd.agent-workspace.frames', host: 'localhost', ...headers },
    signal: AbortSignal.timeout(30_000),
  });
  asking.end('{"argv":["touch","/tmp/started"],"hasStdin":false,"streams":false,"end":true,"bytes":0}\n');
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  await text(answer);
  return answer.statusCode;
}

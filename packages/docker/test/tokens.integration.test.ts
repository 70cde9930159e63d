import { GatewayClient } from '@agent-workspace/gateway-client';
import { type ClientRequestArgs, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { mountedSocketDirectory } from '../src/transport/choose-transport.ts';
import { SocketTransport } from '../src/transport/socket-transport.ts';
import { hasDocker } from './engine.ts';
import { shell, useDocker } from './use-docker.ts';

const GATEWAY_PORT = 8765;
/** Arguments and environment of every process that may be looked at. */
const PROCESSES = 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"; true';

describe.skipIf(!hasDocker)('the token of a host', () => {
  const tests = useDocker();

  /** A client with a token of its own, beside the workspaces. */
  async function clientWith(token: string): Promise<GatewayClient> {
    const container = await tests.engine.containers.inspect(await tests.containerId());
    const directory = container && mountedSocketDirectory(container);
    const transport = new SocketTransport({ directory: directory ?? '', uid: uidOf() });
    return new GatewayClient({ connect: (options) => transport.connect(options), token: () => token });
  }

  it('is in no inspection, argument, environment, log or file', { timeout: 120_000 }, async () => {
    const one = await tests.open({ workdir: 'secret' });
    const id = await tests.containerId();
    const { engine } = tests;
    // What a second host does is watched while it does it.
    const watching = tests.inside(
      id,
      `for i in $(seq 100); do ${PROCESSES}; [ -e /tmp/stop ] && break; sleep 0.01; done`,
    );
    const two = await tests.open({ workdir: 'secret' });
    await shell(two, 'touch /tmp/stop');
    const tokens = [...one.tokens, ...two.tokens];
    expect(tokens).toHaveLength(2);

    const container = await tests.docker.getContainer(id).inspect();
    const execs = await Promise.all(
      (container.ExecIDs ?? []).map((exec) => tests.docker.getExec(exec).inspect().catch(String)),
    );
    const shown = {
      inspection: JSON.stringify(container),
      execs: JSON.stringify(execs),
      processesMeanwhile: await watching,
      processes: await tests.inside(id, PROCESSES),
      log: await engine.containers.logTail(id, 10_000),
      gatewayLog: await tests.inside(id, 'cat /var/lib/agent-workspace/gateway.log*'),
    };
    expect(shown.processesMeanwhile).toContain('gateway.cjs');
    for (const token of tokens) {
      for (const [where, content] of Object.entries(shown)) {
        expect({ where, isThere: content.includes(token) }).toEqual({ where, isThere: false });
      }
      // The pattern comes by stdin, so that the search does not find itself.
      const search =
        'grep -rlFf - --devices=skip --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev / 2>/dev/null; true';
      for (const user of ['0', `${uidOf()}`]) expect(await tests.inside(id, search, { user, stdin: token })).toBe('');
    }
    // Such a search finds what is there.
    await tests.inside(id, 'cat > /tmp/found', { stdin: tokens[0] });
    const found = await tests.inside(id, 'grep -rlFf - /tmp', { user: `${uidOf()}`, stdin: tokens[0] });
    expect(found).toBe('/tmp/found\n');
  });

  it('is a new one at each initialize(), and is refused after close()', async () => {
    const one = await tests.open({ workdir: 'again' });
    const two = await tests.open({ workdir: 'again' });
    const [token = ''] = one.tokens;
    expect(two.tokens[0]).not.toBe(token);
    const eavesdropper = await clientWith(token);
    expect(await eavesdropper.health()).toMatchObject({ status: 'ok', attachments: 2 });
    await one.close();
    await expect(eavesdropper.health()).rejects.toMatchObject({ code: 'gateway-unauthorized' });
    await eavesdropper.close();
    expect(await shell(two, 'echo goes on')).toBe('goes on\n');
    const three = await tests.open({ workdir: 'again' });
    expect(new Set([token, ...two.tokens, ...three.tokens]).size).toBe(3);
  });

  it('lets two hosts work on one container, which the last one out ends', async () => {
    const one = await tests.open({ workdir: 'two' });
    const two = await tests.open({ workdir: 'two' });
    const id = await tests.containerId();
    await one.backend.writeFile('/workspace/a', 'of the first\n');
    expect(await shell(two, 'cat a')).toBe('of the first\n');
    const answers = await Promise.all([one, two, one, two].map((workspace, n) => shell(workspace, `echo ${n}`)));
    expect(answers).toStrictEqual(['0\n', '1\n', '2\n', '3\n']);
    await one.close();
    expect(await shell(two, 'cat a')).toBe('of the first\n');
    expect(await tests.containerId()).toBe(id);
    await two.close();
    expect(await tests.containers()).toStrictEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['a token that is none', { authorization: 'Bearer guess' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['a foreign Host, and the token', { host: 'evil.example', authorization: 'Bearer %' }],
    ['an Origin, and the token', { origin: 'http://localhost', authorization: 'Bearer %' }],
    ['the Origin null, and the token', { origin: 'null', authorization: 'Bearer %' }],
  ])('is asked of everyone: %s is refused, and nothing is started [X15]', async (_what, headers) => {
    const workspace = await tests.open({ network: 'none' });
    const id = await tests.containerId();
    const container = await tests.engine.containers.inspect(id);
    const socketPath = join((container && mountedSocketDirectory(container)) ?? '', 'gateway.sock');
    const [token = ''] = workspace.tokens;
    const given = Object.entries(headers).map(([name, value]) => [name, value.replace('%', token)]);
    const status = await tryToRun({ socketPath }, Object.fromEntries(given));
    expect([401, 403]).toContain(status);
    expect(await shell(workspace, 'ls /tmp')).toBe('');
  });

  it('is asked of another container on the same network [X15]', async () => {
    const workspace = await tests.open({ transport: 'port' });
    const address = (await shell(workspace, "hostname -i | cut -d ' ' -f 1")).trim();
    const other = await tests.open();
    const script = `
import urllib.request, urllib.error
body = b'{"argv":["touch","/tmp/started"],"hasStdin":false,"streams":false,"end":true,"bytes":0}\\n'
for headers in ({}, {'Authorization': 'Bearer guess'}, {'Host': 'evil.example'}, {'Origin': 'http://localhost'}):
    headers['Content-Type'] = 'application/vnd.agent-workspace.frames'
    ask = urllib.request.Request('http://${address}:${GATEWAY_PORT}/exec', data=body, headers=headers, method='POST')
    try: print(urllib.request.urlopen(ask).status)
    except urllib.error.HTTPError as error: print(error.code)
`;
    const { stdout } = await other.backend.exec(['python3', '-c', script]);
    const statuses = Buffer.from(stdout.head).toString().trim().split('\n');
    expect(statuses).toHaveLength(4);
    for (const status of statuses) expect(status).toMatch(/^40[13]$/);
    expect(await shell(workspace, 'ls /tmp')).toBe('');
  });
});

function uidOf(): number {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 ? 1000 : uid;
}

/** Asks for a command that would leave a file. @returns the status */
async function tryToRun(
  target: Pick<ClientRequestArgs, 'socketPath'>,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const asking = request({
    ...target,
    method: 'POST',
    path: '/exec',
    headers: { 'content-type': 'application/vnd.agent-workspace.frames', host: 'localhost', ...headers },
  });
  asking.end('{"argv":["touch","/tmp/started"],"hasStdin":false,"streams":false,"end":true,"bytes":0}\n');
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  await text(answer);
  return answer.statusCode;
}

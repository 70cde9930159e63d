import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LABELS } from '../src/container/labels.ts';
import { hasDocker } from './engine.ts';
import { ensureFixtureImage, fixtureServer } from './fixture-image.ts';
import { callOwnTool, shell, useDocker } from './use-docker.ts';

/** Says how an attempt to reach an address ended: the slim image has no curl. */
function reach(host: string, port: number): string {
  const script = `import socket
try: socket.create_connection(('${host}', ${port}), 3).close(); print('reached')
except OSError as error: print(error.strerror)`;
  return `python3 -c "${script}"`;
}

const FETCH = `/opt/agent-workspace/node/bin/node -e "fetch('http://1.1.1.1').then(() => console.log('reached'), (e) => console.log(e.cause.code))"`;

describe.skipIf(!hasDocker)('the network of a container', () => {
  const tests = useDocker();
  const network = `aw-test-${randomUUID()}`;

  beforeAll(async () => {
    await tests.docker.createNetwork({ Name: network, Internal: true, Labels: { [LABELS.manager]: tests.managerId } });
  });

  afterAll(async () => {
    await tests.docker.getNetwork(network).remove();
  });

  it.each(['socket', 'exec'] as const)(
    'is none over %s: tools, servers and files work, nothing goes out',
    async (transport) => {
      const workspace = await tests.open({
        transport,
        network: 'none',
        workdir: `none-${transport}`,
        baseImage: await ensureFixtureImage(tests.engine),
        defaultMcps: [{ name: 'inside', ...fixtureServer('echo') }],
      });
      const session = workspace.session({ agentId: 'a', sessionId: 's' });
      await callOwnTool(session, 'Write', { file_path: '/workspace/a.txt', content: 'kept\n' });
      expect(await callOwnTool(session, 'Bash', { command: 'cat a.txt' })).toBe('kept\n');
      expect(await callOwnTool(session, 'Read', { file_path: '/workspace/a.txt' })).toContain('kept');
      expect(await callOwnTool(session, 'Grep', { pattern: 'kept', output_mode: 'content' })).toContain('kept');
      expect(await callOwnTool(session, 'Glob', { pattern: '*.txt' })).toContain('a.txt');
      const [client] = await session.listMcps();
      expect(await client?.callTool('echo', { text: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] });

      expect(await shell(workspace, reach('1.1.1.1', 80))).toBe('Network is unreachable\n');
      expect(await shell(workspace, FETCH)).toBe('ENETUNREACH\n');
      expect(await shell(workspace, 'ls /sys/class/net')).toBe('lo\n');
    },
  );

  it('is the one of that name, in which two of them meet', async () => {
    const [one, two] = [await tests.open({ network }), await tests.open({ network })];
    const { NetworkSettings } = await tests.docker.getContainer((await tests.containers())[0]?.id ?? '').inspect();
    expect(Object.keys(NetworkSettings.Networks)).toStrictEqual([network]);
    const address = (await shell(one, "hostname -i | cut -d ' ' -f 1")).trim();
    const serve = 'python3 -m http.server 8099 >/dev/null 2>&1 & echo started';
    expect(await shell(one, serve)).toBe('started\n');
    await expect.poll(() => shell(two, reach(address, 8099)), { timeout: 20_000 }).toBe('reached\n');
    // This one leads nowhere else.
    expect(await shell(two, reach('1.1.1.1', 80))).not.toBe('reached\n');
  });

  it('has to be there', async () => {
    await expect(tests.open({ network: 'aw-no-such-network' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(container-start-failed|docker-request-failed)$/),
      message: expect.stringContaining('aw-no-such-network'),
    });
    expect(await tests.containers()).toStrictEqual([]);
  });
});

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { silentLogger } from '@agent-workspace/core';
import { GatewayBackend, GatewayClient, type GatewayDeadlines } from '@agent-workspace/gateway-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DockerSandbox } from '../src/docker-sandbox.ts';
import type { ExecStream } from '../src/engine/exec-stream.ts';
import { IMAGE_LAYOUT } from '../src/image/layout.ts';
import { mountedSocketDirectory } from '../src/transport/choose-transport.ts';
import { hasDocker } from './engine.ts';
import { DockerTests, outcomeOf, shell, useDocker } from './use-docker.ts';

const MEBIBYTE = 1024 * 1024;
const PORT = 8765;
const TRANSPORTS = ['socket', 'exec', 'port'] as const;
const networkOf = (transport: string): string => (transport === 'port' ? 'bridge' : 'none');

describe.skipIf(!hasDocker)('a container that is not to be trusted', () => {
  describe.each(TRANSPORTS)('whose gateway is another program, over %s', (transport) => {
    const tests = new DockerTests();
    const { signal } = new AbortController();
    const deadlines: Partial<GatewayDeadlines> = {
      connectMs: 5_000,
      answerMs: 1_000,
      longAnswerMs: 1_000,
      silenceMs: 1_000,
      abortMs: 300,
    };
    let sandbox: DockerSandbox;
    let id: string;
    let program: string;
    const clients: GatewayClient[] = [];
    const peers: ExecStream[] = [];

    beforeAll(async () => {
      await tests.start();
      program = await readFile(new URL('fixtures/hostile-gateway.cjs', import.meta.url), 'utf8');
      sandbox = new DockerSandbox({
        managerId: tests.managerId,
        newWorkspaceId: randomUUID(),
        transport,
        network: networkOf(transport),
        logger: silentLogger,
      });
      await sandbox.start({ signal });
      id = await tests.containerId();
    });

    afterEach(async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
      for (const peer of peers.splice(0)) peer.destroy();
      await tests.inside(
        id,
        'for p in /proc/[0-9]*; do grep -aq hostile $p/cmdline && kill -9 ${p#/proc/}; done; true',
      );
    });

    afterAll(async () => {
      await sandbox.destroy();
      await tests.end();
    });

    /** Has the program in the gateway's place. */
    async function stand(misdeed: string): Promise<GatewayBackend> {
      const target = transport === 'port' ? String(PORT) : IMAGE_LAYOUT.socket;
      await tests.inside(id, 'cat > /tmp/hostile.cjs', { stdin: program });
      const argv = [IMAGE_LAYOUT.node, '/tmp/hostile.cjs', target, misdeed];
      const peer = await tests.engine.containers.exec(id, argv);
      peers.push(peer);
      peer.on('error', () => undefined);
      expect(String(await once(peer, 'data'))).toBe('ready\n');
      const client = new GatewayClient({ connect: sandbox.connect, token: () => 'token', deadlines });
      clients.push(client);
      return new GatewayBackend({ client, kind: 'docker', workdir: sandbox.workdir });
    }

    it.each([
      ['rubbish', ['gateway-answer-invalid']],
      ['silence', ['gateway-timeout']],
      // As much of it as may be taken may take longer than there is time.
      ['a flood', ['gateway-answer-invalid', 'gateway-timeout']],
      ['a way elsewhere', ['gateway-answer-invalid']],
    ])('gives a typed error within its deadline, in bounded memory, for %s', async (misdeed, codes) => {
      const backend = await stand(misdeed);
      const before = process.memoryUsage().rss;
      const calls = [
        () => backend.stat('/a'),
        () => backend.exec(['true']),
        () => backend.readFile('/a', { maxBytes: MEBIBYTE }),
      ];
      for (const call of calls) {
        const { code, tookMs } = await outcomeOf(call());
        expect(codes).toContain(code);
        expect(tookMs).toBeLessThan(30_000);
      }
      expect(process.memoryUsage().rss - before).toBeLessThan(128 * MEBIBYTE);
    });
  });

  describe('that puts something in the place of its socket', () => {
    const tests = useDocker();
    let decoy: Server;
    let decoyPath: string;
    let visitors = 0;

    beforeEach(async () => {
      visitors = 0;
      // Like the engine's socket: on the host, and none of the container's business.
      decoyPath = join(tests.directory, 'engine.sock');
      decoy = createServer((socket) => {
        visitors += 1;
        socket.destroy();
      });
      decoy.listen(decoyPath);
      await once(decoy, 'listening');
    });

    afterEach(async () => {
      decoy.close();
      await once(decoy, 'close');
    });

    it.each([
      ["a link to the engine's socket", (path: string) => `ln -s /var/run/docker.sock ${path}`],
      ['a link to another socket of the host', (path: string, other: string) => `ln -s ${other} ${path}`],
      ['a FIFO', (path: string) => `mkfifo ${path}`],
      ['a file', (path: string) => `echo HTTP/1.1 200 OK > ${path}`],
      ['a directory', (path: string) => `mkdir ${path}`],
    ])('is not led elsewhere by %s', async (_what, replace) => {
      const sandbox = new DockerSandbox({
        managerId: tests.managerId,
        newWorkspaceId: randomUUID(),
        transport: 'socket',
        network: 'none',
        logger: silentLogger,
      });
      await sandbox.start({ signal: new AbortController().signal });
      const id = await tests.containerId();
      await tests.inside(id, replace(IMAGE_LAYOUT.socket, decoyPath));
      const client = new GatewayClient({ connect: sandbox.connect, token: () => 'token' });
      const outcome = await outcomeOf(client.health());
      expect(outcome.code).toBe('gateway-unreachable');
      expect(outcome.tookMs).toBeLessThan(15_000);
      expect(visitors).toBe(0);
      await client.close();
      // Nor is the host when it cleans up.
      await sandbox.stop();
      expect(decoy.listening).toBe(true);
      expect(await tests.containers()).toStrictEqual([]);
    });

    it('is unreachable with a link in the place of its socket, and works again without', async () => {
      const workspace = await tests.open({ transport: 'socket', network: 'none' });
      const id = await tests.containerId();
      const container = await tests.engine.containers.inspect(id);
      expect(container && mountedSocketDirectory(container)).toEqual(expect.any(String));
      await tests.inside(id, `rm ${IMAGE_LAYOUT.socket}; ln -s ${decoyPath} ${IMAGE_LAYOUT.socket}`);
      await tests.killGateway(id);
      expect((await outcomeOf(shell(workspace, 'true'))).code).toMatch(/^gateway-(unreachable|connection-lost)$/);
      expect((await outcomeOf(shell(workspace, 'true'))).code).toBe('gateway-unreachable');
      await tests.inside(id, `rm ${IMAGE_LAYOUT.socket}`);
      await expect.poll(() => shell(workspace, 'echo back').catch(String), { timeout: 20_000 }).toBe('back\n');
      expect(visitors).toBe(0);
    });
  });

  describe.each(TRANSPORTS)('that is paused, over %s', (transport) => {
    const tests = useDocker();
    const answerMs = 1_500;
    const gateway = {
      deadlines: { connectMs: 2_000, answerMs, longAnswerMs: answerMs, silenceMs: 6_000, abortMs: 500 },
    };

    it('before a call: a typed error in time, and all works again after', { timeout: 90_000 }, async () => {
      const workspace = await tests.open({ transport, network: networkOf(transport), gateway });
      await workspace.backend.writeFile('/workspace/a', 'kept');
      const id = await tests.containerId();
      await tests.engine.containers.pause(id);
      const outcome = await outcomeOf(workspace.backend.stat('/workspace/a'));
      expect(['gateway-timeout', 'gateway-unreachable']).toContain(outcome.code);
      expect(outcome.tookMs).toBeLessThan(answerMs + 20_000);
      await tests.engine.containers.unpause(id);
      await expect.poll(() => shell(workspace, 'cat a').catch(String), { timeout: 40_000 }).toBe('kept');
    });

    it('in the middle of a call: a typed error in time, and all works again after', { timeout: 90_000 }, async () => {
      const workspace = await tests.open({ transport, network: networkOf(transport), gateway });
      const begun = Promise.withResolvers<void>();
      const running = workspace.backend.exec(['sh', '-c', 'echo begun; sleep 60'], { onOutput: () => begun.resolve() });
      const outcome = outcomeOf(running);
      await begun.promise;
      const id = await tests.containerId();
      await tests.engine.containers.pause(id);
      expect(['gateway-timeout', 'gateway-connection-lost', 'gateway-unreachable']).toContain((await outcome).code);
      expect((await outcome).tookMs).toBeLessThan(60_000);
      await tests.engine.containers.unpause(id);
      await expect.poll(() => shell(workspace, 'echo back').catch(String), { timeout: 40_000 }).toBe('back\n');
    });
  });
});

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../src/container/container-spec.ts';
import { findOrCreateContainer } from '../src/container/workspace-container.ts';
import { DockerEngine } from '../src/engine/docker-engine.ts';
import { IMAGE_LAYOUT } from '../src/image/layout.ts';
import { ExecTransport } from '../src/transport/exec-transport.ts';
import { FallbackTransport } from '../src/transport/fallback-transport.ts';
import { PortTransport } from '../src/transport/port-transport.ts';
import { makeSocketDirectory, removeSocketDirectory } from '../src/transport/socket-directory.ts';
import { SocketTransport } from '../src/transport/socket-transport.ts';
import type { Transport } from '../src/transport/transport.ts';
import { buildEchoImage, startEcho } from './echo-gateway.ts';
import { hasDocker } from './engine.ts';
import { removeContainers } from './remove-containers.ts';

const managerId = `test-${randomUUID()}`;
const PORT = 8080;
const MEBIBYTE = 1024 * 1024;
const user = { uid: 1000, gid: 1000 };

describe.skipIf(!hasDocker)('a way to the gateway', () => {
  const { signal } = new AbortController();
  const opened: Duplex[] = [];
  let engine: DockerEngine;
  let image: string;

  beforeAll(async () => {
    engine = await DockerEngine.connect();
    image = await buildEchoImage(engine, user);
  });

  async function createContainer(changes: Partial<ContainerSpec>): Promise<string> {
    const { container } = await findOrCreateContainer(engine, {
      managerId,
      workspaceId: randomUUID(),
      image,
      user,
      storage: { kind: 'container' },
      workdir: '/workspace',
      network: 'none',
      limits: {},
      ...changes,
    });
    return container.id;
  }

  async function connect(transport: Transport): Promise<Duplex> {
    const duplex = await transport.connect({ signal });
    duplex.on('error', () => undefined);
    opened.push(duplex);
    return duplex;
  }

  async function run(id: string, script: string): Promise<string> {
    const stream = await engine.containers.exec(id, ['sh', '-c', script]);
    stream.end();
    return text(stream);
  }

  afterEach(() => {
    for (const duplex of opened.splice(0)) duplex.destroy();
  });

  const clear = (): Promise<void> => removeContainers(engine, managerId);

  afterAll(async () => {
    await clear();
    await engine.images.remove(image);
  });

  /** What every way has to do. */
  function itCarries(make: () => Transport): void {
    it('carries 1 MiB there and back', async () => {
      const duplex = await connect(make());
      const sent = randomBytes(MEBIBYTE);
      duplex.end(sent);
      const received = await buffer(duplex);
      expect(received.length).toBe(MEBIBYTE);
      expect(digest(received)).toBe(digest(sent));
    });

    it('carries what comes back while more is being sent', async () => {
      const duplex = await connect(make());
      for (const word of ['one', 'two', 'three']) {
        duplex.write(word);
        const [answer] = (await once(duplex, 'data')) as [Buffer];
        expect(answer.toString()).toBe(word);
      }
    });

    it('carries 32 at once, and mixes nothing up', async () => {
      const transport = make();
      const results = await Promise.all(
        Array.from({ length: 32 }, async () => {
          const duplex = await connect(transport);
          const sent = randomBytes(64 * 1024);
          duplex.end(sent);
          return digest(await buffer(duplex)) === digest(sent);
        }),
      );
      expect(results).toStrictEqual(Array.from({ length: 32 }, () => true));
    });

    it('is not opened for one who does not want it any more', async () => {
      const abort = new AbortController();
      const opening = make().connect({ signal: abort.signal });
      abort.abort(new Error('not wanted'));
      await expect(opening).rejects.toThrow('not wanted');
    });
  }

  function digest(bytes: Uint8Array): string {
    return createHash('sha256').update(bytes).digest('hex');
  }

  describe('by a socket', () => {
    let directory: string;
    let id: string;

    beforeAll(async () => {
      directory = (await makeSocketDirectory(user)) ?? '';
      id = await createContainer({ socketDirectory: directory });
    });

    beforeEach(() => startEcho(engine, id));

    afterAll(async () => {
      await clear();
      await removeSocketDirectory(directory);
    });

    itCarries(() => new SocketTransport({ directory, uid: user.uid }));

    it('is not led to another socket by a link', async () => {
      const path = join(directory, 'gateway.sock');
      await unlink(path);
      await run(id, `ln -s /var/run/docker.sock ${IMAGE_LAYOUT.socket}`);
      await expect(connect(new SocketTransport({ directory, uid: user.uid }))).rejects.toMatchObject({
        code: 'gateway-unreachable',
        message: expect.stringContaining(`${path} is no socket; something in the container has replaced it`),
      });
    });

    it('is led to nothing by a link that is there for a moment', async () => {
      const path = join(directory, 'gateway.sock');
      const transport = new SocketTransport({ directory, uid: user.uid });
      await symlink('/var/run/docker.sock', join(directory, 'link'));
      await rename(path, join(directory, 'real'));
      let isOver = false;
      const swapping = (async () => {
        while (!isOver) {
          for (const name of ['link', 'real']) {
            await rename(join(directory, name), path);
            await rename(path, join(directory, name));
          }
        }
      })();
      const answers = new Set<string>();
      const codes = new Set<unknown>();
      for (let attempt = 0; attempt < 300; attempt += 1) {
        try {
          const duplex = await transport.connect({ signal });
          duplex.end('GET /_ping HTTP/1.0\r\n\r\n');
          answers.add(await text(duplex));
        } catch (error) {
          codes.add((error as { readonly code?: unknown }).code);
        }
      }
      isOver = true;
      await swapping;
      await unlink(join(directory, 'link'));
      expect([...codes]).toStrictEqual(['gateway-unreachable']);
      expect([...answers].filter((answer) => !answer.startsWith('GET /_ping'))).toStrictEqual([]);
    });

    it('takes no file for it, and no socket of another user', async () => {
      const path = join(directory, 'gateway.sock');
      const transport = new SocketTransport({ directory, uid: user.uid });
      await expect(new SocketTransport({ directory, uid: 4321 }).connect({ signal })).rejects.toThrow(
        `${path} belongs to user 1000 instead of 4321`,
      );
      await unlink(path);
      await writeFile(path, '');
      await expect(transport.connect({ signal })).rejects.toThrow(`${path} is no socket`);
      await unlink(path);
      await expect(transport.connect({ signal })).rejects.toThrow(`the socket ${path} cannot be opened`);
    });
  });

  describe('by commands in the container', () => {
    let id: string;

    beforeAll(async () => {
      id = await createContainer({});
    });

    beforeEach(() => startEcho(engine, id));
    afterAll(clear);

    itCarries(() => new ExecTransport({ engine, containerId: id }));

    it('leaves no relay behind', async () => {
      const duplex = await connect(new ExecTransport({ engine, containerId: id }));
      duplex.write('hello');
      await once(duplex, 'data');
      expect(await relays(id)).toBe(1);
      duplex.destroy();
      await expect.poll(async () => relays(id), { timeout: 20_000 }).toBe(0);
    });

    async function relays(container: string): Promise<number> {
      const script = 'for f in /proc/[0-9]*/cmdline; do tr "\\0" "\\n" <$f | head -n 2 | tail -n 1; done 2>/dev/null';
      return (await run(container, script)).split('\n').filter((line) => line === '-e').length;
    }

    it('says why there is no relay', async () => {
      await run(id, `rm ${IMAGE_LAYOUT.socket}`);
      await expect(connect(new ExecTransport({ engine, containerId: id }))).rejects.toMatchObject({
        code: 'gateway-unreachable',
        message: expect.stringContaining(
          `the relay in the sandbox did not start: connect ENOENT ${IMAGE_LAYOUT.socket}`,
        ),
      });
    });

    it('says that the container is stopped, or gone', async () => {
      const other = await createContainer({});
      const transport = new ExecTransport({ engine, containerId: other });
      await startEcho(engine, other);
      const duplex = await connect(transport);
      const broken = once(duplex.resume(), 'close');
      await engine.containers.stop(other, 0);
      await broken;
      await expect(transport.connect({ signal })).rejects.toThrow('the container is stopped or paused');
      await engine.containers.remove(other);
      await expect(transport.connect({ signal })).rejects.toThrow('the container is gone');
    });

    it('is taken where the socket leads nowhere', async () => {
      const directory = (await makeSocketDirectory(user)) ?? '';
      const exec = new ExecTransport({ engine, containerId: id });
      const transport = new FallbackTransport([new SocketTransport({ directory, uid: user.uid }), exec]);
      const duplex = await connect(transport);
      duplex.write('hello');
      const [answer] = (await once(duplex, 'data')) as [Buffer];
      expect([answer.toString(), transport.kind]).toStrictEqual(['hello', 'exec']);
      await removeSocketDirectory(directory);
    });
  });

  describe('by a published port', () => {
    let id: string;

    beforeAll(async () => {
      id = await createContainer({ network: 'bridge', publishedPort: PORT });
      await startEcho(engine, id, String(PORT));
    });

    afterAll(clear);

    itCarries(() => new PortTransport({ engine, containerId: id, port: PORT }));

    it('is published on loopback alone [X15]', async () => {
      const container = await engine.containers.inspect(id);
      expect(container?.ports).toStrictEqual({ '8080/tcp': [{ address: '127.0.0.1', port: expect.any(Number) }] });
    });

    it('is found again after a restart [D23]', async () => {
      const transport = new PortTransport({ engine, containerId: id, port: PORT });
      await connect(transport);
      await engine.containers.stop(id, 0);
      await expect(transport.connect({ signal })).rejects.toMatchObject({ code: 'gateway-unreachable' });
      await engine.containers.start(id);
      await startEcho(engine, id, String(PORT));
      const duplex = await connect(transport);
      duplex.write('hello');
      const [answer] = (await once(duplex, 'data')) as [Buffer];
      expect(answer.toString()).toBe('hello');
    });
  });
});

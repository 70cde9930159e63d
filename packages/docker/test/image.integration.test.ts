import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DockerEngine } from '../src/engine/docker-engine.ts';
import { ensureImage } from '../src/image/ensure-image.ts';
import { imageRecipe, type ImageRecipeOptions } from '../src/image/image-recipe.ts';
import { pullIfMissing } from '../src/image/pull-image.ts';
import { hasDocker } from './engine.ts';
import { FakeRegistry } from './fake-registry.ts';
import { runOnce } from './run-once.ts';

/** Makes the tags of this run its own. */
const stamp = randomUUID();

const plain: ImageRecipeOptions = {
  baseImage: 'python:3.12-slim',
  nodeVersion: '24',
  extraPip: [],
  extraNpm: [],
  user: { uid: 1000, gid: 1000 },
  files: [{ name: 'gateway.js', content: Buffer.from(`// ${stamp}\nconsole.log(process.version);\n`) }],
};

function froms(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /^Step \d+\/\d+ : (FROM .*)$/.exec(line)?.[1] ?? []);
}

/** An engine seen through a socket that counts the builds asked for. */
class CountingProxy implements AsyncDisposable {
  builds = 0;
  readonly #path = join(tmpdir(), `aw-proxy-${randomUUID()}.sock`);
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer();

  async listen(): Promise<string> {
    this.#server.on('connection', (client: Socket) => {
      const upstream = connect('/var/run/docker.sock');
      client.removeAllListeners('data');
      client.on('data', (bytes: Buffer) => {
        if (/^POST \S*\/build\?/.test(bytes.toString('latin1'))) this.builds += 1;
        upstream.write(bytes);
      });
      upstream.pipe(client);
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
      }
      client.on('close', () => upstream.destroy());
    });
    this.#server.listen(this.#path);
    await once(this.#server, 'listening');
    return `unix://${this.#path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await rm(this.#path, { force: true });
  }
}

describe.skipIf(!hasDocker)('the image', () => {
  let engine: DockerEngine;
  const made = new Set<string>();

  beforeAll(async () => {
    engine = await DockerEngine.connect();
  });

  afterAll(async () => {
    for (const tag of made) await engine.images.remove(tag);
  });

  async function build(options: Partial<ImageRecipeOptions> = {}, lines: string[] = []): Promise<string> {
    const recipe = imageRecipe({ ...plain, ...options });
    made.add(recipe.tag);
    await ensureImage(engine, recipe, { onProgress: (line) => lines.push(line) });
    return recipe.tag;
  }

  it('runs the gateway on a node of its own, as a user that is not root', async () => {
    const lines: string[] = [];
    const tag = await build({}, lines);
    expect(froms(lines)).toStrictEqual(['FROM node:24-slim AS node', 'FROM python:3.12-slim']);
    const script =
      'id -u; id -un; cd ~ && touch mine && pwd; touch /workspace/x; /opt/agent-workspace/node/bin/node /opt/agent-workspace/gateway/gateway.js; npm --version';
    const { stdout, exitCode } = await runOnce(engine, tag, script);
    expect(stdout).toMatch(/^1000\nagent\n\/home\/agent\nv24\.\d+\.\d+\n\d+\.\d+\.\d+\n$/);
    expect(exitCode).toBe(0);
  });

  it('sends no build request when nothing has changed', async () => {
    await using proxy = new CountingProxy();
    const watched = await DockerEngine.connect({ dockerHost: await proxy.listen() });
    const recipe = imageRecipe({ ...plain, extraNpm: [], user: { uid: 1234, gid: 1234 } });
    made.add(recipe.tag);
    expect(await ensureImage(watched, recipe)).toStrictEqual({ wasBuilt: true });
    expect(proxy.builds).toBe(1);
    expect(await ensureImage(watched, recipe)).toStrictEqual({ wasBuilt: false });
    expect(proxy.builds).toBe(1);
  });

  it('builds once for all who ask at the same time, and tells each of them', async () => {
    await using proxy = new CountingProxy();
    const watched = await DockerEngine.connect({ dockerHost: await proxy.listen() });
    const recipe = imageRecipe({ ...plain, user: { uid: 1235, gid: 1235 } });
    made.add(recipe.tag);
    const heard: string[][] = [[], [], []];
    await Promise.all(heard.map((lines) => ensureImage(watched, recipe, { onProgress: (line) => lines.push(line) })));
    expect(proxy.builds).toBe(1);
    for (const lines of heard) expect(lines.at(-1)).toBe(`Successfully tagged ${recipe.tag}`);
  });

  it('leaves a build that is not wanted any more', async () => {
    const recipe = imageRecipe({ ...plain, extraPip: ['idna==3.20'], user: { uid: 1236, gid: 1236 } });
    made.add(recipe.tag);
    const abort = new AbortController();
    const onProgress = (line: string): void => {
      if (line.startsWith('Step 2/')) abort.abort(new Error('not wanted'));
    };
    await expect(ensureImage(engine, recipe, { signal: abort.signal, onProgress })).rejects.toThrow('not wanted');
    expect(await engine.images.inspect(recipe.tag)).toBeUndefined();
  });

  it('puts packages of pip and npm first on the PATH', async () => {
    const tag = await build({ extraPip: ['idna==3.20'], extraNpm: ['semver@7.7.2'] });
    const script =
      'command -v python3; python3 -c "import idna; print(idna.__version__)"; pip install --quiet --no-input idna==3.19 && python3 -c "import idna; print(idna.__version__)"; semver 1.2.3';
    const { stdout } = await runOnce(engine, tag, script, { network: 'bridge' });
    expect(stdout).toBe('/opt/agent-workspace/venv/bin/python3\n3.20\n3.19\n1.2.3\n');
  });

  it('takes the node of a base that has a current one', async () => {
    const lines: string[] = [];
    const tag = await build({ baseImage: 'node:24-slim', nodeVersion: 'none-of-this-version' }, lines);
    expect(froms(lines)).toStrictEqual(['FROM node:24-slim']);
    const { stdout } = await runOnce(engine, tag, 'readlink /opt/agent-workspace/node/bin/node');
    expect(stdout).toBe('/usr/local/bin/node\n');
  });

  it('says that the base has no Python', async () => {
    const recipe = imageRecipe({ ...plain, baseImage: 'node:24-slim', extraPip: ['idna'] });
    await expect(ensureImage(engine, recipe)).rejects.toMatchObject({
      code: 'base-image-lacks-python',
      details: { baseImage: 'node:24-slim' },
    });
  });

  it('tells which step failed, with the end of what it printed', async () => {
    const recipe = imageRecipe({ ...plain, extraPip: ['./there-is-no-such-package'] });
    await expect(ensureImage(engine, recipe)).rejects.toMatchObject({
      code: 'image-build-failed',
      details: {
        step: expect.stringMatching(/^RUN \/opt\/agent-workspace\/venv\/bin\/pip install /),
        log: expect.stringContaining("Invalid requirement: './there-is-no-such-package'"),
      },
    });
    expect(await engine.images.inspect(recipe.tag)).toBeUndefined();
  });

  it('waits for a pull until the image is there [D19]', async () => {
    await using registry = new FakeRegistry();
    const image = await registry.listen();
    const lines: string[] = [];
    let isSettled = false;
    const pulling = pullIfMissing(engine, image, { onProgress: (line) => lines.push(line) }).finally(() => {
      isSettled = true;
    });
    await registry.layerAsked;
    expect(isSettled).toBe(false);
    expect(await engine.images.inspect(image)).toBeUndefined();
    registry.release();
    await pulling;
    expect(await engine.images.inspect(image)).toMatchObject({ id: expect.stringMatching(/^sha256:/) });
    expect(lines[0]).toBe(`Pulling ${image}`);
    expect(lines.at(-1)).toBe(`Status: Downloaded newer image for ${image}`);
    await engine.images.remove(image);
  });

  it("tells the engine's words where a pull fails [D20]", async () => {
    const error = await pullIfMissing(engine, 'localhost:1/nosuch/none:1').catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'image-pull-failed',
      details: { image: 'localhost:1/nosuch/none:1', reason: expect.stringContaining('connection refused') },
    });
  });
});

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { DockerEngine } from '../src/engine/docker-engine.ts';
import { ensureImage } from '../src/image/ensure-image.ts';
import { imageRecipe } from '../src/image/image-recipe.ts';
import { IMAGE_LAYOUT } from '../src/image/layout.ts';
import type { ContainerUser } from '../src/container/container-user.ts';

/** Listens on a socket or a port, says so, and sends back what it gets; half-closes when its peer does. */
const ECHO_SERVER = `
const { createServer } = require('node:net');
const { rmSync } = require('node:fs');
const [target] = process.argv.slice(2);
const server = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.pipe(socket);
});
if (target.startsWith('/')) rmSync(target, { force: true });
server.listen(target.startsWith('/') ? target : Number(target), () => console.log('ready'));
`;

/** An image of this test's own, whose gateway is an echo server. @returns its name */
export async function buildEchoImage(
  engine: DockerEngine,
  user: ContainerUser = { uid: 1000, gid: 1000 },
): Promise<string> {
  const recipe = imageRecipe({
    baseImage: 'python:3.12-slim',
    nodeVersion: '24',
    extraPip: [],
    extraNpm: [],
    user,
    files: [{ name: 'gateway.js', content: Buffer.from(`// ${randomUUID()}\n${ECHO_SERVER}`) }],
  });
  await ensureImage(engine, recipe);
  return recipe.tag;
}

/** Starts the echo server in a container of that image, and waits until it listens. */
export async function startEcho(
  engine: DockerEngine,
  containerId: string,
  target: string = IMAGE_LAYOUT.socket,
  options: { readonly user?: string } = {},
): Promise<void> {
  const { node, gatewayDirectory } = IMAGE_LAYOUT;
  const stream = await engine.containers.exec(containerId, [node, `${gatewayDirectory}/gateway.js`, target], options);
  stream.on('error', () => undefined);
  const [line] = (await once(stream, 'data')) as [Buffer];
  if (line.toString() !== 'ready\n') throw new Error(`The echo server says ${line.toString()}${stream.stderr}`);
}

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Container } from 'dockerode';
import { interruption } from '../interruption.ts';
import { docker } from './docker-bench.ts';
import { hardenedContainer, SOCKET_DIRECTORY } from './hardened-container.ts';

const SOCKET = 'server.sock';
const SERVER = `require('node:http').createServer((_, answer) => answer.end()).listen('${SOCKET_DIRECTORY}/${SOCKET}')`;
const LOOK_MS = 1;
const DEADLINE_MS = 30_000;

async function answers(socketPath: string): Promise<boolean> {
  const asking = request({ socketPath, agent: false }).end();
  try {
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode === 200;
  } catch {
    // Not there yet, or not listening.
    return false;
  }
}

/**
 * Creates and starts a container that is a workspace's in everything but its command, a server of one
 * line for node, and waits for the first answer, over a socket in a directory that is mounted.
 */
export async function startNodeServer(root: string): Promise<Container> {
  const container = await docker.createContainer(await hardenedContainer(root, ['node', '--eval', SERVER]));
  await container.start();
  const socketPath = join(root, 'socket', SOCKET);
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(DEADLINE_MS)]);
  while (!(await answers(socketPath))) await setTimeout(LOOK_MS, undefined, { signal });
  return container;
}

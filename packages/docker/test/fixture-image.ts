import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type FixtureServerName, fixtureServerSource } from '@agent-workspace/testing';
import { pack } from 'tar-stream';
import type { DockerEngine } from '../src/engine/docker-engine.ts';
import { IMAGE_LAYOUT } from '../src/image/layout.ts';

const SERVERS = '/opt/fixtures/servers.mjs';

/** A base image in which the fixture servers are. @returns its name */
export async function ensureFixtureImage(engine: DockerEngine): Promise<string> {
  const source = await fixtureServerSource();
  const tag = `agent-workspace-fixtures:${createHash('sha256').update(source).digest('hex').slice(0, 32)}`;
  if ((await engine.images.inspect(tag)) !== undefined) return tag;
  const context = pack();
  context.entry({ name: 'Dockerfile' }, `FROM python:3.12-slim\nCOPY servers.mjs ${SERVERS}\n`);
  context.entry({ name: 'servers.mjs' }, source);
  context.finalize();
  for await (const message of engine.images.build(context as unknown as Readable, { tag, labels: {} })) {
    if (message.error !== undefined) throw new Error(message.error);
  }
  return tag;
}

/** How a fixture server is started in a container of that image. */
export function fixtureServer(name: FixtureServerName, argument?: string): { command: string; args: string[] } {
  return { command: IMAGE_LAYOUT.node, args: [SERVERS, name, ...(argument === undefined ? [] : [argument])] };
}

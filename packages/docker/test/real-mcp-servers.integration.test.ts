import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRealMcpServers } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { buildImage, DockerWorkspace } from '../src/index.ts';
import { hasDocker } from './engine.ts';

const require = createRequire(import.meta.url);

/** The very versions that tests on this host run with. */
const extraNpm = await Promise.all(
  [
    require.resolve('@modelcontextprotocol/server-everything/package.json'),
    require.resolve('@modelcontextprotocol/server-filesystem/package.json'),
    require.resolve('@modelcontextprotocol/server-memory/package.json'),
  ].map(async (path) => {
    const { name, version } = JSON.parse(await readFile(path, 'utf8')) as { name: string; version: string };
    return `${name}@${version}`;
  }),
);

describe.skipIf(!hasDocker)('docker', async () => {
  const managerId = `test-${randomUUID()}`;
  const places = await mkdtemp(join(tmpdir(), 'aw-real-mcp-'));

  // Its packages come over the network, the first time.
  beforeAll(() => buildImage({ extraNpm }), 300_000);
  afterAll(() => rm(places, { recursive: true, force: true }));

  describeRealMcpServers('docker', {
    create: async (place, options) =>
      new DockerWorkspace({ ...options, managerId, extraNpm, network: 'none', workdir: join(places, place) }),
    cleanUp: (place) => rm(join(places, place), { recursive: true, force: true }),
    server: (name) => ({ command: `mcp-server-${name}`, args: [] }),
  });
});

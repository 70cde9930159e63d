import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRealMcpServers } from '@agent-workspace/testing';
import { afterAll } from 'vitest';
import { LocalWorkspace } from '../src/index.ts';

const require = createRequire(import.meta.url);
const programs = {
  everything: require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
};
const places = await mkdtemp(join(tmpdir(), 'aw-real-mcp-'));

describeRealMcpServers('local', {
  create: async (place, options) => new LocalWorkspace({ ...options, workdir: join(places, place) }),
  cleanUp: (place) => rm(join(places, place), { recursive: true, force: true }),
  server: (name) => ({ command: process.execPath, args: [programs[name]] }),
});

afterAll(() => rm(places, { recursive: true, force: true }));

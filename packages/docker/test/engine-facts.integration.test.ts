import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DockerEngine } from '../src/engine/docker-engine.ts';

describe('what is known of an engine', () => {
  const asked: string[] = [];
  let version: string;
  let announces: boolean;
  let directory: string;
  let dockerHost: string;

  function answer(path: string, response: ServerResponse): void {
    asked.push(path);
    if (announces) response.setHeader('api-version', '1.41').setHeader('server', `Docker/${version}`);
    response.setHeader('content-type', path === '/version' ? 'application/json' : 'text/plain');
    response.end(path === '/version' ? JSON.stringify({ Version: version, ApiVersion: '1.41', Arch: 'amd64' }) : 'OK');
  }

  const server = createServer(({ url = '' }, response) => answer(url, response));

  beforeEach(async () => {
    asked.length = 0;
    version = '20.10';
    announces = true;
    directory = await mkdtemp(join(tmpdir(), 'aw-facts-'));
    dockerHost = `unix://${join(directory, 'docker.sock')}`;
    server.listen(join(directory, 'docker.sock'));
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });

  const versionNow = async (): Promise<string> => (await DockerEngine.connect({ dockerHost })).version;

  it('is asked of it once, and again of another version of it', async () => {
    expect([await versionNow(), await versionNow()]).toStrictEqual(['20.10', '20.10']);
    expect(asked).toStrictEqual(['/_ping', '/version', '/_ping']);
    version = '28.2';
    expect(await versionNow()).toBe('28.2');
  });

  it('is asked each time of one that does not say which it is', async () => {
    announces = false;
    await versionNow();
    version = '28.2';
    expect(await versionNow()).toBe('28.2');
  });

  it('is nothing where it does not answer', async () => {
    server.close();
    await expect(DockerEngine.connect({ dockerHost })).rejects.toMatchObject({ code: 'docker-unavailable' });
  });
});

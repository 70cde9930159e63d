import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEndpoint } from './endpoint.ts';

describe('findEndpoint', () => {
  let homeDirectory: string;

  beforeEach(async () => {
    homeDirectory = await mkdtemp(join(tmpdir(), 'aw-docker-home-'));
  });

  afterEach(() => rm(homeDirectory, { recursive: true }));

  async function makeContext(name: string, meta: unknown): Promise<void> {
    const digest = createHash('sha256').update(name).digest('hex');
    const directory = join(homeDirectory, '.docker', 'contexts', 'meta', digest);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'meta.json'), JSON.stringify(meta));
  }

  async function useContext(name: string): Promise<void> {
    await mkdir(join(homeDirectory, '.docker'), { recursive: true });
    await writeFile(join(homeDirectory, '.docker', 'config.json'), JSON.stringify({ currentContext: name }));
  }

  it('takes the option, then DOCKER_HOST, then a context', async () => {
    await makeContext('remote', { Name: 'remote', Endpoints: { docker: { Host: 'ssh://me@there' } } });
    await useContext('remote');
    const environment = { DOCKER_HOST: 'tcp://10.0.0.1:2375' };
    const dockerHost = 'unix:///run/mine.sock';
    expect(await findEndpoint({ homeDirectory, environment, dockerHost })).toStrictEqual({
      address: 'unix:///run/mine.sock',
      tls: undefined,
    });
    expect(await findEndpoint({ homeDirectory, environment })).toMatchObject({ address: 'tcp://10.0.0.1:2375' });
    expect(await findEndpoint({ homeDirectory, environment: {} })).toMatchObject({ address: 'ssh://me@there' });
    expect(await findEndpoint({ homeDirectory, environment: { DOCKER_CONTEXT: 'default' } })).toStrictEqual({
      address: 'unix:///var/run/docker.sock',
    });
  });

  it('takes a host without a scheme for TCP, with the certificates of DOCKER_CERT_PATH', async () => {
    await writeFile(join(homeDirectory, 'ca.pem'), 'authority');
    const environment = { DOCKER_HOST: 'there:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: homeDirectory };
    expect(await findEndpoint({ homeDirectory, environment })).toStrictEqual({
      address: 'tcp://there:2376',
      tls: { ca: Buffer.from('authority'), cert: undefined, key: undefined },
    });
  });

  it('names a context that is not there', async () => {
    await useContext('gone');
    await expect(findEndpoint({ homeDirectory, environment: {} })).rejects.toMatchObject({
      code: 'docker-options-invalid',
      message: expect.stringContaining('of the Docker context "gone", there is none of that name'),
    });
  });
});

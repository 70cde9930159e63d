import { describe, expect, it } from 'vitest';
import {
  configurationHash,
  containerName,
  type ContainerSpec,
  createRequest,
  createRequestWithoutSocket,
} from './container-spec.ts';

const spec: ContainerSpec = {
  managerId: 'standalone',
  workspaceId: 'one',
  image: 'agent-workspace:0123',
  user: { uid: 1000, gid: 1000 },
  storage: { kind: 'directory', path: '/data/one' },
  workdir: '/workspace',
  network: 'bridge',
  limits: {},
  socketDirectory: '/tmp/aw-socket-1',
};

describe('containerName', () => {
  it('is legal and unique, whatever the ids are [D30]', () => {
    const ids = ['a/b c@x', 'a/b-c@x', 'ä'.repeat(300), '', '../..', 'A', 'a'];
    const names = [
      ...ids.map((workspaceId) => containerName({ managerId: 'standalone', workspaceId })),
      ...ids.map((managerId) => containerName({ managerId, workspaceId: 'one' })),
    ];
    for (const name of names) expect(name).toMatch(/^aw-[a-zA-Z0-9_.-]{0,40}-[0-9a-f]{16}$/);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('createRequest', () => {
  it('sets labels with the name, and drops what an agent does not need', () => {
    expect(createRequest(spec)).toStrictEqual({
      Image: 'agent-workspace:0123',
      User: '1000:1000',
      WorkingDir: '/workspace',
      Cmd: ['sleep', 'infinity'],
      Labels: {
        'agent-workspace.manager-id': 'standalone',
        'agent-workspace.workspace-id': 'one',
        'agent-workspace.configuration': configurationHash(spec),
      },
      HostConfig: {
        Init: true,
        NetworkMode: 'bridge',
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 1024,
        Mounts: [
          { Type: 'bind', Source: '/data/one', Target: '/workspace' },
          { Type: 'bind', Source: '/tmp/aw-socket-1', Target: '/run/agent-workspace' },
        ],
      },
    });
  });

  it('takes limits, and publishes on loopback alone [X15]', () => {
    const request = createRequest({
      ...spec,
      limits: { memoryBytes: 512 * 1024 ** 2, cpus: 1.5, pids: 64 },
      publishedPort: 8080,
      storage: { kind: 'volume', name: 'data' },
      socketDirectory: undefined,
    });
    expect(request.ExposedPorts).toStrictEqual({ '8080/tcp': {} });
    expect(request.HostConfig).toMatchObject({
      Memory: 536_870_912,
      MemorySwap: 536_870_912,
      NanoCpus: 1_500_000_000,
      PidsLimit: 64,
      PortBindings: { '8080/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
      Mounts: [{ Type: 'volume', Source: 'data', Target: '/workspace' }],
    });
  });
});

describe('createRequestWithoutSocket', () => {
  it('is the same but for the mount, so that its container is found for what it is', () => {
    const request = createRequest(spec);
    expect(createRequestWithoutSocket(spec)).toStrictEqual({
      ...request,
      HostConfig: {
        ...request.HostConfig,
        Mounts: [{ Type: 'bind', Source: '/data/one', Target: '/workspace' }],
      },
    });
  });
});

describe('configurationHash', () => {
  it('is the same for another directory of the socket, and another for anything else', () => {
    const hash = configurationHash(spec);
    expect(configurationHash({ ...spec, socketDirectory: '/tmp/aw-socket-2' })).toBe(hash);
    const changes: readonly Partial<ContainerSpec>[] = [
      { image: 'agent-workspace:4567' },
      { user: { uid: 1001, gid: 1000 } },
      { network: 'none' },
      { limits: { pids: 3 } },
      { storage: { kind: 'container' } },
      { publishedPort: 80 },
      { socketDirectory: undefined },
    ];
    const hashes = changes.map((change) => configurationHash({ ...spec, ...change }));
    expect(new Set([hash, ...hashes]).size).toBe(changes.length + 1);
  });
});

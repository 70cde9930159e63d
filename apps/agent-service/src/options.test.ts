import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from './options.ts';

describe('parseOptions', () => {
  it('needs nothing: local, SQLite, a scripted model, loopback', () => {
    expect(parseOptions([], { INIT_CWD: '/here' })).toEqual({
      backend: 'local',
      network: 'bridge',
      memoryBytes: 2 * 1024 ** 3,
      cluster: {
        kubeconfig: undefined,
        context: undefined,
        namespace: undefined,
        image: undefined,
        storageSize: undefined,
        storageClassName: undefined,
        runtimeClassName: undefined,
      },
      basedir: '/here/agent-service-data',
      redis: undefined,
      model: undefined,
      contextBudgetTokens: undefined,
      host: '127.0.0.1',
      port: 8787,
      tokensFile: undefined,
      tokensJson: undefined,
      metricsToken: undefined,
      corsOrigins: [],
      isSingleTenant: false,
      isolation: 'per-agent',
      permissionMode: 'full',
      ttlMs: 3_600_000,
      drainMs: 30_000,
      maxChats: 500,
    });
  });

  it('takes one flag each for what is real', () => {
    const environment = { AI_GATEWAY_API_KEY: 'key', AGENT_SERVICE_TOKENS: '{}', INIT_CWD: '/here' };
    const argv = [
      '--',
      '--backend',
      'docker',
      '--redis',
      'redis://r',
      '--model',
      'a/b',
      '--host',
      '0.0.0.0',
      '--ttl',
      '5',
    ];
    expect(
      parseOptions([...argv, '--tokens', 'x.json', '--cors', 'https://a', '--cors', 'https://b'], environment),
    ).toMatchObject({
      backend: 'docker',
      redis: 'redis://r',
      model: 'a/b',
      host: '0.0.0.0',
      ttlMs: 5_000,
      tokensFile: '/here/x.json',
      corsOrigins: ['https://a', 'https://b'],
    });
  });

  it('takes what a cluster is to be asked for', () => {
    const argv = ['--backend', 'kubernetes', '--kubeconfig', 'k', '--namespace', 'agents', '--storage', '5Gi'];
    const classes = ['--storage-class', 'fast', '--runtime-class', 'gvisor', '--image', 'r/i:1', '--context', 'c'];
    expect(parseOptions([...argv, ...classes], { INIT_CWD: '/here', AGENT_SERVICE_REDIS: 'redis://r' })).toMatchObject({
      backend: 'kubernetes',
      redis: 'redis://r',
      cluster: {
        kubeconfig: '/here/k',
        context: 'c',
        namespace: 'agents',
        image: 'r/i:1',
        storageSize: '5Gi',
        storageClassName: 'fast',
        runtimeClassName: 'gvisor',
      },
    });
  });

  it.each([
    [['--host', '0.0.0.0'], /0\.0\.0\.0 can be reached from other machines/u],
    [['--host', 'example.org'], /can be reached/u],
    [['--host', '127.0.0.1.example.org'], /can be reached/u],
    [['--model', 'a/b'], /AI_GATEWAY_API_KEY/u],
    [['--port', '70000'], /--port is "70000"/u],
    [['--port', '-1'], /--port/u],
    [['--ttl', '1.5'], /--ttl is "1\.5"/u],
    [['--ttl', '0'], /from 1/u],
    [['--isolation', 'none'], /per-agent, per-session, per-user/u],
    [['--permissions', 'some'], /full, ask, read-only/u],
    [['--backend', 'constructor'], /--backend is "constructor"/u],
    [['--nope'], /--nope/u],
    [['extra'], /extra/u],
  ])('refuses %j and says how it is used', (argv, reason) => {
    const parse = (): unknown => parseOptions(argv, {});
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(reason);
    expect(parse).toThrow(/Usage: pnpm service/u);
  });

  it.each(['localhost', '::1', '127.0.0.53'])('listens on %s without tokens', (host) => {
    expect(parseOptions(['--host', host], {}).host).toBe(host);
  });
});

import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from './options.ts';

const cluster = { kubeconfig: undefined, context: undefined, namespace: undefined, image: undefined };
const key = { AI_GATEWAY_API_KEY: 'key' };

describe('parseOptions', () => {
  it('runs a scripted model on the local backend by default', () => {
    expect(parseOptions([], {})).toEqual({
      backend: 'local',
      isJson: false,
      keep: undefined,
      model: undefined,
      cluster,
    });
  });

  it('takes options with or without a leading --', () => {
    const expected = { backend: 'local', isJson: true, keep: '/tmp/x', model: undefined, cluster };
    expect(parseOptions(['--json', '--keep', '/tmp/x'], {})).toEqual(expected);
    expect(parseOptions(['--', '--json', '--keep', '/tmp/x'], {})).toEqual(expected);
  });

  it('takes a directory from where pnpm was called', () => {
    expect(parseOptions(['--keep', 'x/y'], { INIT_CWD: '/here' }).keep).toBe('/here/x/y');
    expect(parseOptions(['--keep', '/tmp/x'], { INIT_CWD: '/here' }).keep).toBe('/tmp/x');
  });

  it.each(['local', 'docker', 'e2b', 'kubernetes'])('knows the backend %s', (backend) => {
    expect(parseOptions(['--backend', backend], {}).backend).toBe(backend);
  });

  it('takes a cluster for kubernetes', () => {
    const argv = [
      '--backend',
      'kubernetes',
      '--kubeconfig',
      'k',
      '--context',
      'c',
      '--namespace',
      'n',
      '--image',
      'i:1',
    ];
    const expected = { kubeconfig: '/here/k', context: 'c', namespace: 'n', image: 'i:1' };
    expect(parseOptions(argv, { INIT_CWD: '/here' }).cluster).toEqual(expected);
  });

  it('asks a real model where there is a key', () => {
    expect(parseOptions([], key).model).toMatch(/^anthropic\//u);
    expect(parseOptions(['--model', 'a/b'], key).model).toBe('a/b');
    expect(() => parseOptions(['--model', 'a/b'], {})).toThrow(/AI_GATEWAY_API_KEY/u);
  });

  it.each([
    [['--nope'], /--nope/u],
    [['extra'], /extra/u],
    [['--backend', 'vm'], /no backend "vm"\. There is: local, docker, e2b, kubernetes\./u],
    [['--backend', 'kubernetes', '--keep', 'x'], /--keep is not for kubernetes/u],
    [['--namespace', 'x'], /--namespace is for --backend kubernetes/u],
    [['--backend', 'e2b', '--keep', 'x'], /--keep is not for e2b/u],
    [['--backend', 'constructor'], /no backend "constructor"/u],
    [['--keep'], /--keep/u],
  ])('refuses %j and says how it is used', (argv, reason) => {
    const parse = (): unknown => parseOptions(argv, {});
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(reason);
    expect(parse).toThrow(/Usage: pnpm demo/u);
  });
});

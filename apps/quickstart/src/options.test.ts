import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from './options.ts';

const key = { AI_GATEWAY_API_KEY: 'key' };

describe('parseOptions', () => {
  it('runs a scripted model on the local backend by default', () => {
    expect(parseOptions([], {})).toEqual({ backend: 'local', isJson: false, keep: undefined, model: undefined });
  });

  it('takes options with or without a leading --', () => {
    const expected = { backend: 'local', isJson: true, keep: '/tmp/x', model: undefined };
    expect(parseOptions(['--json', '--keep', '/tmp/x'], {})).toEqual(expected);
    expect(parseOptions(['--', '--json', '--keep', '/tmp/x'], {})).toEqual(expected);
  });

  it('takes a directory from where pnpm was called', () => {
    expect(parseOptions(['--keep', 'x/y'], { INIT_CWD: '/here' }).keep).toBe('/here/x/y');
    expect(parseOptions(['--keep', '/tmp/x'], { INIT_CWD: '/here' }).keep).toBe('/tmp/x');
  });

  it.each(['local', 'docker'])('knows the backend %s', (backend) => {
    expect(parseOptions(['--backend', backend], {}).backend).toBe(backend);
  });

  it('asks a real model where there is a key', () => {
    expect(parseOptions([], key).model).toMatch(/^anthropic\//u);
    expect(parseOptions(['--model', 'a/b'], key).model).toBe('a/b');
    expect(() => parseOptions(['--model', 'a/b'], {})).toThrow(/AI_GATEWAY_API_KEY/u);
  });

  it.each([
    [['--nope'], /--nope/u],
    [['extra'], /extra/u],
    [['--backend', 'vm'], /no backend "vm"\. There is: local, docker\./u],
    [['--backend', 'e2b'], /e2b is coming\. Today there is: local, docker\./u],
    [['--backend', 'kubernetes'], /kubernetes is coming/u],
    [['--backend', 'constructor'], /no backend "constructor"/u],
    [['--keep'], /--keep/u],
  ])('refuses %j and says how it is used', (argv, reason) => {
    const parse = (): unknown => parseOptions(argv, {});
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(reason);
    expect(parse).toThrow(/Usage: pnpm demo/u);
  });
});

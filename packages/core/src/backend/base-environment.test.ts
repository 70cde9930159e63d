import { describe, expect, it } from 'vitest';
import { baseEnvironment } from './base-environment.ts';

describe('baseEnvironment', () => {
  it('passes on paths, identity, language and terminal', () => {
    const source = {
      PATH: '/bin',
      HOME: '/home/a',
      USER: 'a',
      LOGNAME: 'a',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
      LC_TIME: 'de_DE',
      TZ: 'UTC',
      TMPDIR: '/tmp',
      TERM: 'xterm',
    };
    expect(baseEnvironment(source)).toEqual(source);
  });

  it('keeps everything else from the child', () => {
    expect(
      baseEnvironment({ PATH: '/bin', SECRET_X: '1', NODE_OPTIONS: '--inspect', LCD: 'x', HOME: undefined }),
    ).toEqual({
      PATH: '/bin',
    });
  });
});

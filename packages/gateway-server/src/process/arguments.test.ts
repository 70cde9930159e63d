import { describe, expect, it } from 'vitest';
import { parseArguments, UsageError } from './arguments.ts';

const SERVE = ['--socket', '/run/g.sock', '--admin-socket', '/run/a.sock', '--workdir', '/workspace'];

describe('parseArguments', () => {
  it('reads where to serve what', () => {
    expect(
      parseArguments([...SERVE, '--kind', 'docker', '--rg', '/opt/rg', '--allow-host', 'a', '--allow-host', 'b']),
    ).toEqual({
      command: 'serve',
      address: { kind: 'socket', path: '/run/g.sock' },
      adminSocket: '/run/a.sock',
      workdir: '/workspace',
      kind: 'docker',
      ripgrepPath: '/opt/rg',
      allowedHosts: ['a', 'b'],
      readsAttachment: false,
    });
  });

  it('takes the first attachment from stdin if it is told to', () => {
    expect(parseArguments([...SERVE, '--attach'])).toMatchObject({ command: 'serve', readsAttachment: true });
  });

  it('listens on loopback unless told otherwise', () => {
    const port = ['--port', '0', ...SERVE.slice(2)];
    expect(parseArguments(port)).toMatchObject({ address: { kind: 'port', port: 0, host: '127.0.0.1' } });
    expect(parseArguments([...port, '--host', '0.0.0.0'])).toMatchObject({ address: { host: '0.0.0.0' } });
  });

  it('reads the other commands', () => {
    const adminSocket = '/run/a.sock';
    expect(parseArguments(['attach', '--admin-socket', adminSocket])).toEqual({ command: 'attach', adminSocket });
    expect(parseArguments(['warm-up'])).toEqual({ command: 'warm-up' });
    expect(parseArguments(['--version'])).toEqual({ command: 'version' });
    expect(parseArguments(['-h'])).toEqual({ command: 'help' });
  });

  it.each([
    [[], '--admin-socket is missing.'],
    [['--unknown'], "Unknown option '--unknown'"],
    [['dance', ...SERVE], 'There is no command "dance".'],
    [['attach', 'twice', ...SERVE], 'Unexpected argument "twice".'],
    [['--port', '1', ...SERVE], 'Give either --socket or --port.'],
    [SERVE.slice(2), 'Give either --socket or --port.'],
    [['--port', '70000', ...SERVE.slice(2)], '--port takes a number up to 65535.'],
    [['--port', '', ...SERVE.slice(2)], '--port takes a number up to 65535.'],
    [SERVE.slice(0, 4), '--workdir is missing.'],
    [[...SERVE, '--rg', 'rg'], '--rg takes an absolute path, and not "rg".'],
  ])('says what is wrong with %j', (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(UsageError);
    expect(() => parseArguments(argv)).toThrow(message);
  });
});

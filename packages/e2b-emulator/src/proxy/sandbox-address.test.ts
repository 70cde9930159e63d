import { describe, expect, it } from 'vitest';
import { findDestination } from './sandbox-address.ts';

const ID = 'iabcdefghijklmnopqrst';
const HEADERS = { 'e2b-sandbox-id': ID, 'e2b-sandbox-port': '49983' };

describe('findDestination', () => {
  it.each([
    [{ host: `3000-${ID}.e2b.localhost:1234` }, 3000],
    [{ host: `3000-${ID.toUpperCase()}.e2b.localhost` }, 3000],
    [{ host: `3000-${ID}-6532622b.e2b.app` }, 3000],
    [{ host: '127.0.0.1:1234', ...HEADERS }, 49_983],
    [{ host: '[::1]:1234', ...HEADERS }, 49_983],
    [{ host: 'localhost', ...HEADERS }, 49_983],
    [{ host: 'sandbox.e2b.localhost:1', ...HEADERS }, 49_983],
    [{ host: `8080-${ID}.e2b.localhost`, ...HEADERS }, 8080],
  ])('leads %j to a sandbox', (headers, port) => {
    expect(findDestination(headers, '/')).toEqual({ kind: 'sandbox', sandboxId: ID, port });
  });

  it.each(['127.0.0.1:1', 'localhost', 'api.e2b.localhost:1', 'e2b.localhost:1', 'emulator:1', 'host.docker.internal'])(
    'leads %s to the control plane',
    (host) => {
      expect(findDestination({ host }, '/sandboxes')).toEqual({ kind: 'control-plane' });
    },
  );

  it('leads a file without a word about the sandbox to its signature', () => {
    expect(findDestination({ host: '127.0.0.1' }, '/files')).toEqual({ kind: 'signed-file' });
  });

  it.each([
    [{ host: 'localhost', 'e2b-sandbox-id': ID }, 'missing header: e2b-sandbox-port'],
    [{ host: 'localhost', 'e2b-sandbox-port': '1' }, 'missing header: e2b-sandbox-id'],
    [{ host: `0-${ID}.e2b.localhost` }, 'invalid sandbox port: 0'],
    [{ host: `70000-${ID}.e2b.localhost` }, 'invalid sandbox port: 70000'],
    [{ host: 'nonsense.e2b.localhost' }, 'invalid sandbox host: nonsense.e2b.localhost'],
    [{ host: 'localhost', 'e2b-sandbox-id': '../x', 'e2b-sandbox-port': '1' }, 'invalid sandbox ID: ../x'],
  ])('refuses %j', (headers, message) => {
    expect(findDestination(headers, '/')).toEqual({ kind: 'invalid', message });
  });
});

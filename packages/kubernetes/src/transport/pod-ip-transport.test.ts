import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { PodIpTransport } from './pod-ip-transport.ts';

/** IPv4's, and IPv6's where this machine has it. */
const LOOPBACKS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, scopeid = 0 }) => internal && scopeid === 0)
  .map(({ address }) => address);

describe('PodIpTransport', () => {
  it.each(LOOPBACKS)('goes to an address as the cluster writes it: %s', async (host) => {
    await using server = createServer((socket) => socket.end('here')).listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const transport = new PodIpTransport({ host, port });
    expect(await text(await transport.connect({ signal: AbortSignal.timeout(10_000) }))).toBe('here');
  });
});

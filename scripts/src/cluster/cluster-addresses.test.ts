import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { addressesOfSlot, findFreeSlot, LOOPBACK, slotsFrom } from './cluster-addresses.ts';

describe('addressesOfSlot', () => {
  it('gives each slot a network and ports of its own', () => {
    const all = slotsFrom(0).map(addressesOfSlot);
    expect(new Set(all.map(({ podNetwork }) => podNetwork)).size).toBe(64);
    expect(new Set(all.flatMap(({ etcdPort, apiServerPort }) => [etcdPort, apiServerPort])).size).toBe(128);
    expect(addressesOfSlot(63)).toMatchObject({ gateway: '10.244.252.1', podNetwork: '10.244.252.0/22' });
  });
});

describe('findFreeSlot', () => {
  it('passes over a slot of which a port is taken', async () => {
    const first = await findFreeSlot(5);
    const server = createServer();
    server.listen(addressesOfSlot(first).kubeletPort, LOOPBACK);
    await once(server, 'listening');
    try {
      expect(await findFreeSlot(5)).not.toBe(first);
    } finally {
      server.close();
    }
  });
});

describe('slotsFrom', () => {
  it('begins where the hash says and leaves none out', () => {
    const slots = slotsFrom(70);
    expect(slots.slice(0, 2)).toEqual([6, 7]);
    expect(slots.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, slot) => slot));
  });
});

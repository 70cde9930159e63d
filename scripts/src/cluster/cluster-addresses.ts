import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

export const LOOPBACK = '127.0.0.1';

/** Each cluster takes one slot: four ports and a network of its Pods. */
const SLOT_COUNT = 64;
/** Below the range from which Linux gives out ports by itself. */
const FIRST_PORT = 24_000;
const PORTS_PER_SLOT = 16;
/** 1,022 addresses; a node runs 110 Pods at most. */
export const POD_NETWORK_BITS = 22;

export interface ClusterAddresses {
  readonly apiServerPort: number;
  readonly kubeletPort: number;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  /** The host's address on the Pods' bridge. The node has it, too: it may not be a loopback one. */
  readonly gateway: string;
  /** The Pods' network, as `address/bits`. */
  readonly podNetwork: string;
}

/** What the cluster of a slot listens on, and where its Pods are. */
export function addressesOfSlot(slot: number): ClusterAddresses {
  const port = FIRST_PORT + slot * PORTS_PER_SLOT;
  const prefix = `10.244.${slot * 4}`;
  return {
    apiServerPort: port,
    kubeletPort: port + 1,
    etcdPort: port + 2,
    etcdPeerPort: port + 3,
    gateway: `${prefix}.1`,
    podNetwork: `${prefix}.0/${POD_NETWORK_BITS}`,
  };
}

/** The slots in the order in which a cluster tries them. */
export function slotsFrom(hash: number): readonly number[] {
  return Array.from({ length: SLOT_COUNT }, (_, step) => (hash + step) % SLOT_COUNT);
}

/** The first slot whose ports nobody has and whose network no interface of this machine is in. */
export async function findFreeSlot(hash: number): Promise<number> {
  for (const slot of slotsFrom(hash)) {
    const addresses = addressesOfSlot(slot);
    const ports = [addresses.apiServerPort, addresses.kubeletPort, addresses.etcdPort, addresses.etcdPeerPort];
    if (!isNetworkTaken(slot) && (await Promise.all(ports.map(isPortFree))).every(Boolean)) return slot;
  }
  throw new Error(`All of the ${SLOT_COUNT} ranges of ports from ${FIRST_PORT} on are in use. Take clusters down.`);
}

function isNetworkTaken(slot: number): boolean {
  const taken = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return taken.some(({ address }) => {
    const [first, second, third] = address.split('.').map(Number);
    return first === 10 && second === 244 && third !== undefined && Math.floor(third / 4) === slot;
  });
}

function isPortFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}

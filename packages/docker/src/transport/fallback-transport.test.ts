import { Duplex } from 'node:stream';
import { unreachable } from '@agent-workspace/gateway-client';
import { describe, expect, it } from 'vitest';
import { FallbackTransport } from './fallback-transport.ts';
import type { Transport, TransportKind } from './transport.ts';

const { signal } = new AbortController();

/** A way that leads there from the given attempt on. */
class Way implements Transport {
  readonly kind: TransportKind;
  readonly connections: number;
  readonly opened: Duplex[] = [];
  #attempts = 0;
  readonly #worksFrom: number;

  constructor(kind: TransportKind, connections: number, worksFrom: number) {
    this.kind = kind;
    this.connections = connections;
    this.#worksFrom = worksFrom;
  }

  get attempts(): number {
    return this.#attempts;
  }

  async connect(): Promise<Duplex> {
    this.#attempts += 1;
    if (this.#attempts < this.#worksFrom) throw unreachable(`${this.kind} leads nowhere`);
    const duplex = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    this.opened.push(duplex);
    return duplex;
  }
}

describe('FallbackTransport', () => {
  it('stays with the best way that leads there', async () => {
    const [socket, exec] = [new Way('socket', 32, 1), new Way('exec', 6, 1)];
    const transport = new FallbackTransport([socket, exec]);
    await transport.connect({ signal });
    await transport.connect({ signal });
    expect([socket.attempts, exec.attempts]).toStrictEqual([2, 0]);
    expect([transport.kind, transport.connections]).toStrictEqual(['socket', 32]);
  });

  it('takes the other where the first leads nowhere, and does not come back to it', async () => {
    const [socket, exec] = [new Way('socket', 32, Infinity), new Way('exec', 6, 1)];
    const transport = new FallbackTransport([socket, exec]);
    expect(await transport.connect({ signal })).toBe(exec.opened[0]);
    const attempts = socket.attempts;
    expect(await transport.connect({ signal })).toBe(exec.opened[1]);
    expect(socket.attempts).toBe(attempts);
    expect([transport.kind, transport.connections]).toStrictEqual(['exec', 6]);
  });

  it('takes the best where it was merely asked too early', async () => {
    const [socket, exec] = [new Way('socket', 32, 2), new Way('exec', 6, 1)];
    const transport = new FallbackTransport([socket, exec]);
    expect(await transport.connect({ signal })).toBe(socket.opened[0]);
    expect(exec.opened[0]?.destroyed).toBe(true);
    expect(transport.kind).toBe('socket');
  });

  it('chooses nothing while nothing leads there', async () => {
    const [socket, exec] = [new Way('socket', 32, 2), new Way('exec', 6, 3)];
    const transport = new FallbackTransport([socket, exec]);
    await expect(transport.connect({ signal })).rejects.toThrow('exec leads nowhere');
    expect(await transport.connect({ signal })).toBe(socket.opened[0]);
  });
});

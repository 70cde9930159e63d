import type { Duplex } from 'node:stream';
import type { ConnectOptions } from '@agent-workspace/gateway-client';
import type { Transport, TransportKind } from './transport.ts';

/**
 * The first way that leads to the gateway: found out by the first connection that comes about, and
 * kept from then on. While there is none, the gateway may just not be there yet.
 */
export class FallbackTransport implements Transport {
  readonly #candidates: readonly [Transport, ...Transport[]];
  #chosen: Transport | undefined;

  /** @param candidates the best first */
  constructor(candidates: readonly [Transport, ...Transport[]]) {
    this.#candidates = candidates;
  }

  /** The one in use, or the best as long as none is. */
  get kind(): TransportKind {
    return (this.#chosen ?? this.#candidates[0]).kind;
  }

  get connections(): number {
    return (this.#chosen ?? this.#candidates[0]).connections;
  }

  async connect(options: ConnectOptions): Promise<Duplex> {
    if (this.#chosen !== undefined) return this.#chosen.connect(options);
    let failure: unknown;
    for (const [index, candidate] of this.#candidates.entries()) {
      try {
        const duplex = await candidate.connect(options);
        return await this.#choose(candidate, duplex, this.#candidates.slice(0, index), options);
      } catch (error) {
        options.signal.throwIfAborted();
        failure = error;
      }
    }
    throw failure;
  }

  /** Where a worse way has led there, a better one that failed before may have been too early. */
  async #choose(
    candidate: Transport,
    duplex: Duplex,
    better: readonly Transport[],
    options: ConnectOptions,
  ): Promise<Duplex> {
    for (const other of better) {
      try {
        const improved = await other.connect(options);
        duplex.destroy();
        this.#chosen ??= other;
        return improved;
      } catch {
        // It does not lead there, then; `duplex` does.
      }
    }
    this.#chosen ??= candidate;
    return duplex;
  }
}

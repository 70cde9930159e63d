import type { ImageWorkOptions } from './image-work.ts';

interface Flight {
  readonly promise: Promise<void>;
  readonly abort: AbortController;
  readonly passengers: Set<ImageWorkOptions>;
}

/**
 * Work that is done once for all who ask for it at the same time. Each of them hears its progress and
 * may leave by its own signal; when nobody is left, the work is aborted.
 */
export class SharedWork {
  readonly #flights = new Map<string, Flight>();

  async run(key: string, work: (options: ImageWorkOptions) => Promise<void>, options: ImageWorkOptions): Promise<void> {
    options.signal?.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#begin(key, work);
    flight.passengers.add(options);
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(options.signal?.reason as Error);
    options.signal?.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([flight.promise, left]);
    } finally {
      options.signal?.removeEventListener('abort', leave);
      flight.passengers.delete(options);
      if (flight.passengers.size === 0) {
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
        flight.abort.abort();
      }
    }
  }

  #begin(key: string, work: (options: ImageWorkOptions) => Promise<void>): Flight {
    const abort = new AbortController();
    const passengers = new Set<ImageWorkOptions>();
    const onProgress = (line: string): void => {
      for (const passenger of passengers) passenger.onProgress?.(line);
    };
    const promise = work({ signal: abort.signal, onProgress });
    const flight = { promise, abort, passengers };
    this.#flights.set(key, flight);
    const land = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    // Those who left do not hear of its end.
    promise.then(land, land);
    return flight;
  }
}

function define(target: object, name: string, value: unknown): void {
  if (name in target) return;
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

/**
 * Adds what the bundled packages use of Node 22 and Node 20 lacks. Each does what the standard says
 * as far as it is used.
 */
export function addPolyfills(): void {
  define(Promise, 'withResolvers', function withResolvers<T>(): Partial<PromiseWithResolvers<T>> {
    const deferred: Partial<PromiseWithResolvers<T>> = {};
    deferred.promise = new Promise<T>((resolve, reject) => void Object.assign(deferred, { resolve, reject }));
    return deferred;
  });

  define(Map, 'groupBy', function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> {
    const groups = new Map<K, T[]>();
    let index = 0;
    for (const item of items) {
      const key = keyOf(item, index++);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
    return groups;
  });

  define(Array, 'fromAsync', async function fromAsync<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
    const all: T[] = [];
    for await (const item of items) all.push(item);
    return all;
  });
}

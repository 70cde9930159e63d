import { type Fault, type FaultOptions, faultSchema } from './fault.ts';

/** What a request is, as far as faults go by it. */
export interface FaultSubject {
  readonly target: 'api' | 'envd' | 'port';
  readonly route: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly sandboxId: string | undefined;
}

interface Entry {
  readonly id: number;
  readonly fault: Fault;
  met: number;
}

/** An injected fault, and how many requests it has met. */
export interface InjectedFault {
  readonly id: number;
  readonly fault: Fault;
  readonly met: number;
}

/** What is to go wrong. The first one that matches a request is the one that it meets. */
export class Faults {
  readonly #entries = new Map<number, Entry>();
  #lastId = 0;

  /** Those that are still to be met. */
  get all(): readonly InjectedFault[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry }));
  }

  /**
   * Adds one.
   *
   * @returns what takes it away again, and tells how many requests it has met
   * @throws {z.ZodError} if it is none
   */
  add(options: FaultOptions): FaultHandle {
    const path = options.match?.path;
    const source = path instanceof RegExp ? path.source : path;
    const fault = faultSchema.parse({
      ...options,
      ...(options.match && { match: { ...options.match, path: source } }),
    });
    const entry: Entry = { id: ++this.#lastId, fault, met: 0 };
    this.#entries.set(entry.id, entry);
    return {
      id: entry.id,
      get met() {
        return entry.met;
      },
      remove: () => this.remove(entry.id),
    };
  }

  /** @returns whether it was there */
  remove(id: number): boolean {
    return this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The fault that this request meets, which is counted. */
  take(subject: FaultSubject): Fault | undefined {
    for (const entry of this.#entries.values()) {
      const { fault } = entry;
      if (!matches(fault, subject)) continue;
      entry.met += 1;
      if (entry.met === fault.times) this.#entries.delete(entry.id);
      return fault;
    }
    return undefined;
  }
}

export interface FaultHandle {
  readonly id: number;
  readonly met: number;
  readonly remove: () => boolean;
}

function matches({ match = {} }: Fault, subject: FaultSubject): boolean {
  const { route, target, method, path, sandboxId } = match;
  return (
    (route === undefined || route === subject.route) &&
    (target === undefined || target === subject.target) &&
    (method === undefined || method.toUpperCase() === subject.method) &&
    (path === undefined || new RegExp(path).test(subject.path)) &&
    (sandboxId === undefined || sandboxId === subject.sandboxId)
  );
}

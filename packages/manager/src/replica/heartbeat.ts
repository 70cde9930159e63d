import type { ManagerStorage } from '../storage/manager-storage.ts';

/** A replica that has not been heard of for so long is taken for dead. */
const TTL_MS = 30_000;
const INTERVAL_MS = 10_000;

export interface HeartbeatOptions {
  readonly storage: ManagerStorage;
  readonly replicaId: string;
  /**
   * The replica was silent for so long that others took it for dead: its process was suspended, or the storage
   * was out of reach. Called again at the next beat where it fails.
   */
  readonly onLapse: () => Promise<void>;
  readonly onFailed: (error: unknown, since: number) => void;
}

/** Says to the other replicas that this one lives. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #hasLapsed = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** @throws what the storage says to the first beat */
  async start(): Promise<void> {
    await this.#say();
    this.#timer = setInterval(() => void this.beat(), INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One beat at a time: a slow one stands for those that come due meanwhile. */
  async beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    await this.#beating;
  }

  async #beat(): Promise<void> {
    const since = performance.now();
    try {
      if (!(await this.#say())) this.#hasLapsed = true;
      if (!this.#hasLapsed) return;
      await this.#options.onLapse();
      this.#hasLapsed = false;
    } catch (error) {
      this.#options.onFailed(error, since);
    }
  }

  async #say(): Promise<boolean> {
    const { storage, replicaId } = this.#options;
    return await storage.heartbeat({ replicaId, ttlMs: TTL_MS });
  }
}

import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend } from '../backend/backend.ts';
import type { HeldLock } from '../backend/files.ts';
import { FileExistsError } from '../errors/file-exists-error.ts';
import { LockTimeoutError } from '../errors/lock-timeout-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import { KeyedMutex } from './keyed-mutex.ts';

/** A lock not renewed for this long, by the file system's own clock, may be taken over. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_500;
/** How often a waiter looks at the file system's clock. */
const AGE_CHECK_MS = 500;
const MAX_PAUSE_MS = 25;
const MAX_WAIT_MS = 30_000;

/** Given to work that runs under the lock. */
export interface LockGuard {
  /** For the options of every change, so that it fails rather than happen without the lock. */
  readonly heldLock: HeldLock;
}

interface LockContent {
  readonly nonce: string;
  readonly owner?: string | undefined;
}

function isCode(error: unknown, code: string): boolean {
  return WorkspaceError.isInstance(error) && error.code === code;
}

/**
 * The one lock of a workspace's files, for all processes and hosts that share its disk: a file that
 * is created exclusively, with a lease that its holder renews.
 */
export class WorkspaceLock {
  readonly #backend: Backend;
  readonly #path: string;
  readonly #local = new KeyedMutex();

  constructor(backend: Backend, path: string) {
    this.#backend = backend;
    this.#path = path;
  }

  /**
   * Runs `work` while no one else holds the lock.
   *
   * @throws `lock-timeout` after 30 s of waiting; `lock-lost` comes from a change made without it
   */
  async run<T>(work: (guard: LockGuard) => Promise<T>): Promise<T> {
    return this.#local.run('', async () => {
      const nonce = await this.#acquire();
      const heldLock: HeldLock = { path: this.#path, nonce };
      let renewal = Promise.resolve();
      const timer = setInterval(() => {
        renewal = renewal.then(() => this.#renew(heldLock));
      }, RENEW_MS);
      try {
        return await work({ heldLock });
      } finally {
        clearInterval(timer);
        // A renewal that ended after the release would bring the lock back.
        await renewal;
        await this.#release(heldLock);
      }
    });
  }

  #content(nonce: string): string {
    const content: LockContent = { nonce, owner: this.#backend.lockOwner?.id };
    return `${JSON.stringify(content)}\n`;
  }

  async #acquire(): Promise<string> {
    const nonce = randomUUID();
    const startedAt = performance.now();
    let nextAgeCheck = startedAt;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#backend.writeFile(this.#path, this.#content(nonce), { isExclusive: true });
        return nonce;
      } catch (error) {
        if (!FileExistsError.isInstance(error)) throw error;
      }
      const now = performance.now();
      if (now - startedAt > MAX_WAIT_MS) {
        throw new LockTimeoutError({ path: this.#path, waitedMs: Math.round(now - startedAt) });
      }
      if (now >= nextAgeCheck) {
        nextAgeCheck = now + AGE_CHECK_MS;
        if (await this.#breakIfAbandoned()) continue;
      }
      await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt));
    }
  }

  async #read(path: string): Promise<{ content: LockContent | undefined; modifiedMs: number } | undefined> {
    try {
      const { bytes, stat } = await this.#backend.readFile(path, { noFollow: true, maxBytes: 4_096 });
      let content: LockContent | undefined;
      try {
        content = JSON.parse(Buffer.from(bytes).toString('utf8')) as LockContent;
      } catch {
        content = undefined;
      }
      return { content, modifiedMs: stat.modifiedMs };
    } catch (error) {
      if (isCode(error, 'file-not-found')) return undefined;
      throw error;
    }
  }

  /** The file system's clock, which may be another machine's: the time of a file written just now. */
  async #clockMs(): Promise<number> {
    const probe = posix.join(posix.dirname(this.#path), `clock-${randomUUID()}`);
    const { stat } = await this.#backend.writeFile(probe, '', { isExclusive: true });
    await this.#backend.remove(probe);
    return stat.modifiedMs;
  }

  async #isAbandoned(lock: { content: LockContent | undefined; modifiedMs: number }): Promise<boolean> {
    const owner = lock.content?.owner;
    if (owner !== undefined && (await this.#backend.lockOwner?.isAlive(owner)) === false) return true;
    return (await this.#clockMs()) - lock.modifiedMs > LEASE_MS;
  }

  /** Whether the lock is free now. A second lock keeps two waiters from each breaking the other's new one. */
  async #breakIfAbandoned(): Promise<boolean> {
    const seen = await this.#read(this.#path);
    if (seen === undefined) return true;
    if (!(await this.#isAbandoned(seen))) return false;
    const breaking = `${this.#path}.breaking`;
    try {
      await this.#backend.writeFile(breaking, this.#content(randomUUID()), { isExclusive: true });
    } catch (error) {
      if (!FileExistsError.isInstance(error)) throw error;
      const other = await this.#read(breaking);
      if (other !== undefined && (await this.#isAbandoned(other))) await this.#backend.remove(breaking);
      return false;
    }
    try {
      const current = await this.#read(this.#path);
      if (current !== undefined && current.content?.nonce === seen.content?.nonce) {
        await this.#backend.remove(this.#path);
      }
      return true;
    } finally {
      await this.#backend.remove(breaking);
    }
  }

  async #renew(heldLock: HeldLock): Promise<void> {
    try {
      await this.#backend.writeFile(this.#path, this.#content(heldLock.nonce), { heldLock });
    } catch {
      // The next change finds out by itself that the lock is gone, and says so.
    }
  }

  async #release(heldLock: HeldLock): Promise<void> {
    try {
      await this.#backend.remove(this.#path, { heldLock });
    } catch (error) {
      if (!isCode(error, 'lock-lost')) throw error;
    }
  }
}

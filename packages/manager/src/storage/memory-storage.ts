import { randomUUID } from 'node:crypto';
import type { LeaseOptions, ManagerStorage, WorkLease } from './manager-storage.ts';

interface HeldLease {
  readonly fence: number;
  readonly replicaId: string;
  /** By `performance.now()`, which nobody sets. */
  readonly expiresAt: number;
}

/** Remembers for as long as this process lives: what a manager has that no storage was bound to. */
export class MemoryStorage implements ManagerStorage {
  readonly #managerId = randomUUID();
  readonly #bindings = new Map<string, string>();
  readonly #owners = new Map<string, string>();
  readonly #slots = new Set<string>();
  readonly #leases = new Map<string, HeldLease>();
  readonly #replicas = new Map<string, number>();
  readonly #attached = new Map<string, Set<string>>();
  /** One for all: it need only grow. */
  #fence = 0;

  async managerId(): Promise<string> {
    return this.#managerId;
  }

  async findBinding(binding: string): Promise<string | undefined> {
    return this.#bindings.get(binding);
  }

  async bind(binding: string, workspaceId: string): Promise<string> {
    return putIfAbsent(this.#bindings, binding, workspaceId);
  }

  async findOwner(workspaceId: string): Promise<string | undefined> {
    return this.#owners.get(workspaceId);
  }

  async claim(workspaceId: string, userId: string): Promise<string> {
    this.#slots.delete(workspaceId);
    return putIfAbsent(this.#owners, workspaceId, userId);
  }

  async markSlot(workspaceId: string): Promise<void> {
    if (!this.#owners.has(workspaceId)) this.#slots.add(workspaceId);
  }

  async isSlot(workspaceId: string): Promise<boolean> {
    return this.#slots.has(workspaceId);
  }

  async acquireLease(workspaceId: string, { replicaId, ttlMs }: LeaseOptions): Promise<WorkLease | undefined> {
    if (this.#holder(workspaceId) !== undefined) return undefined;
    this.#fence += 1;
    const fence = this.#fence;
    this.#leases.set(workspaceId, { fence, replicaId, expiresAt: performance.now() + ttlMs });
    return { workspaceId, fence };
  }

  async renewLease(lease: WorkLease, { replicaId, ttlMs }: LeaseOptions): Promise<boolean> {
    const { workspaceId, fence } = lease;
    if (!this.#isHeld(lease)) return false;
    this.#leases.set(workspaceId, { fence, replicaId, expiresAt: performance.now() + ttlMs });
    return true;
  }

  async releaseLease(lease: WorkLease): Promise<void> {
    if (this.#isHeld(lease)) this.#leases.delete(lease.workspaceId);
  }

  async heartbeat({ replicaId, ttlMs }: LeaseOptions): Promise<boolean> {
    const now = performance.now();
    const wasAlive = (this.#replicas.get(replicaId) ?? 0) > now;
    this.#replicas.set(replicaId, now + ttlMs);
    return wasAlive;
  }

  async attach(lease: WorkLease, replicaId: string): Promise<boolean> {
    if (!this.#isHeld(lease)) return false;
    const attached = this.#attached.get(lease.workspaceId) ?? new Set();
    this.#attached.set(lease.workspaceId, attached.add(replicaId));
    return true;
  }

  async detach(workspaceId: string, replicaId: string): Promise<void> {
    const attached = this.#attached.get(workspaceId);
    attached?.delete(replicaId);
    if (attached?.size === 0) this.#attached.delete(workspaceId);
  }

  async listAttached(workspaceId: string): Promise<readonly string[]> {
    const attached = [...(this.#attached.get(workspaceId) ?? [])];
    return attached.filter((replicaId) => (this.#replicas.get(replicaId) ?? 0) > performance.now());
  }

  async forget(workspaceId: string): Promise<void> {
    this.#owners.delete(workspaceId);
    this.#slots.delete(workspaceId);
    this.#attached.delete(workspaceId);
    for (const [binding, bound] of this.#bindings) if (bound === workspaceId) this.#bindings.delete(binding);
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #holder(workspaceId: string): HeldLease | undefined {
    const held = this.#leases.get(workspaceId);
    return held !== undefined && held.expiresAt > performance.now() ? held : undefined;
  }

  #isHeld({ workspaceId, fence }: WorkLease): boolean {
    return this.#holder(workspaceId)?.fence === fence;
  }
}

function putIfAbsent(map: Map<string, string>, key: string, value: string): string {
  const present = map.get(key);
  if (present !== undefined) return present;
  map.set(key, value);
  return value;
}

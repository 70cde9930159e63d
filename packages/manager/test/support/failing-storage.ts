import { ManagerStorageFailedError } from '@agent-workspace/core';
import { MemoryStorage } from '../../src/index.ts';
import type { LeaseOptions, ManagerStorage, WorkLease } from '../../src/index.ts';

/** A storage that can be taken away and brought back, and a replica that can be made to seem dead. */
export class FailingStorage implements ManagerStorage {
  readonly #inner: ManagerStorage;
  isAway = false;

  constructor(inner: ManagerStorage = new MemoryStorage()) {
    this.#inner = inner;
  }

  managerId(): Promise<string> {
    return this.#ask('managerId', (storage) => storage.managerId());
  }
  findBinding(binding: string): Promise<string | undefined> {
    return this.#ask('findBinding', (storage) => storage.findBinding(binding));
  }
  bind(binding: string, workspaceId: string): Promise<string> {
    return this.#ask('bind', (storage) => storage.bind(binding, workspaceId));
  }
  findOwner(workspaceId: string): Promise<string | undefined> {
    return this.#ask('findOwner', (storage) => storage.findOwner(workspaceId));
  }
  claim(workspaceId: string, userId: string): Promise<string> {
    return this.#ask('claim', (storage) => storage.claim(workspaceId, userId));
  }
  markSlot(workspaceId: string): Promise<void> {
    return this.#ask('markSlot', (storage) => storage.markSlot(workspaceId));
  }
  isSlot(workspaceId: string): Promise<boolean> {
    return this.#ask('isSlot', (storage) => storage.isSlot(workspaceId));
  }
  acquireLease(workspaceId: string, options: LeaseOptions): Promise<WorkLease | undefined> {
    return this.#ask('acquireLease', (storage) => storage.acquireLease(workspaceId, options));
  }
  renewLease(lease: WorkLease, options: LeaseOptions): Promise<boolean> {
    return this.#ask('renewLease', (storage) => storage.renewLease(lease, options));
  }
  releaseLease(lease: WorkLease): Promise<void> {
    return this.#ask('releaseLease', (storage) => storage.releaseLease(lease));
  }
  heartbeat(options: LeaseOptions): Promise<boolean> {
    return this.#ask('heartbeat', (storage) => storage.heartbeat(options));
  }
  attach(lease: WorkLease, replicaId: string): Promise<boolean> {
    return this.#ask('attach', (storage) => storage.attach(lease, replicaId));
  }
  detach(workspaceId: string, replicaId: string): Promise<void> {
    return this.#ask('detach', (storage) => storage.detach(workspaceId, replicaId));
  }
  listAttached(workspaceId: string): Promise<readonly string[]> {
    return this.#ask('listAttached', (storage) => storage.listAttached(workspaceId));
  }
  forget(workspaceId: string): Promise<void> {
    return this.#ask('forget', (storage) => storage.forget(workspaceId));
  }
  async close(): Promise<void> {
    await this.#inner.close();
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #ask<T>(operation: string, work: (storage: ManagerStorage) => Promise<T>): Promise<T> {
    if (this.isAway) {
      throw new ManagerStorageFailedError({ storage: 'failing', operation }, { cause: new Error('gone away') });
    }
    return await work(this.#inner);
  }
}

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ManagerStorageFailedError } from '@agent-workspace/core';
import type { LeaseOptions, ManagerStorage, WorkLease } from '../manager-storage.ts';

export interface SqliteStorageOptions {
  /** The database file; made with its directory if it is not there. `:memory:` keeps nothing. */
  readonly path: string;
}

/** For another process to finish its write. */
const BUSY_TIMEOUT_MS = 5_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS manager (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS bindings (binding TEXT PRIMARY KEY, workspace_id TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS bindings_of ON bindings (workspace_id);
  CREATE TABLE IF NOT EXISTS owners (workspace_id TEXT PRIMARY KEY, user_id TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS slots (workspace_id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS leases (
    workspace_id TEXT PRIMARY KEY, fence INTEGER NOT NULL, replica_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
    ttl_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS replicas (replica_id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS attached (
    workspace_id TEXT NOT NULL, replica_id TEXT NOT NULL, PRIMARY KEY (workspace_id, replica_id)
  ) WITHOUT ROWID;
`;

/** Each `INSERT` that is in vain changes nothing, and gives what is there. */
const MANAGER_ID = 'INSERT INTO manager VALUES (1, :id) ON CONFLICT DO UPDATE SET id = id RETURNING id AS value';
const BIND = `INSERT INTO bindings VALUES (:binding, :workspaceId)
  ON CONFLICT DO UPDATE SET workspace_id = workspace_id RETURNING workspace_id AS value`;
const CLAIM = `INSERT INTO owners VALUES (:workspaceId, :userId)
  ON CONFLICT DO UPDATE SET user_id = user_id RETURNING user_id AS value`;

const MARK_SLOT = `INSERT INTO slots SELECT :workspaceId
  WHERE NOT EXISTS (SELECT 1 FROM owners WHERE workspace_id = :workspaceId) ON CONFLICT DO NOTHING`;

/**
 * A lease that has run out keeps its row, so that the next one's fence is higher. One that ends later than two of its
 * times from now was taken before the clock was set back, and has run out as well.
 */
const ACQUIRE = `
  INSERT INTO leases VALUES (:workspaceId, 1, :replicaId, :expiresAt, :ttlMs)
  ON CONFLICT (workspace_id) DO UPDATE
    SET fence = fence + 1, replica_id = :replicaId, expires_at = :expiresAt, ttl_ms = :ttlMs
    WHERE expires_at <= :now OR expires_at > :now + 2 * ttl_ms
  RETURNING fence AS value`;
const IS_HELD = 'workspace_id = :workspaceId AND fence = :fence AND expires_at > :now';
const LIVING = 'SELECT replica_id FROM replicas WHERE expires_at > :now';

/**
 * What a manager remembers, in one file by Node's own SQLite. Processes of one machine can share it;
 * replicas on several take Redis.
 */
export class SqliteStorage implements ManagerStorage {
  readonly #path: string;
  #database: DatabaseSync | undefined;

  constructor({ path }: SqliteStorageOptions) {
    this.#path = path;
  }

  async managerId(): Promise<string> {
    return this.#do('managerId', () => this.#text(MANAGER_ID, { id: randomUUID() })) ?? '';
  }

  async findBinding(binding: string): Promise<string | undefined> {
    const query = 'SELECT workspace_id AS value FROM bindings WHERE binding = :binding';
    return this.#do('findBinding', () => this.#text(query, { binding }));
  }

  async bind(binding: string, workspaceId: string): Promise<string> {
    return this.#do('bind', () => this.#text(BIND, { binding, workspaceId })) ?? workspaceId;
  }

  async findOwner(workspaceId: string): Promise<string | undefined> {
    const query = 'SELECT user_id AS value FROM owners WHERE workspace_id = :workspaceId';
    return this.#do('findOwner', () => this.#text(query, { workspaceId }));
  }

  async claim(workspaceId: string, userId: string): Promise<string> {
    const owner = this.#transact('claim', () => {
      this.#change('DELETE FROM slots WHERE workspace_id = :workspaceId', { workspaceId });
      return this.#text(CLAIM, { workspaceId, userId });
    });
    return owner ?? userId;
  }

  async markSlot(workspaceId: string): Promise<void> {
    this.#do('markSlot', () => this.#change(MARK_SLOT, { workspaceId }));
  }

  async isSlot(workspaceId: string): Promise<boolean> {
    const query = 'SELECT workspace_id AS value FROM slots WHERE workspace_id = :workspaceId';
    return this.#do('isSlot', () => this.#text(query, { workspaceId })) !== undefined;
  }

  async acquireLease(workspaceId: string, { replicaId, ttlMs }: LeaseOptions): Promise<WorkLease | undefined> {
    const now = Date.now();
    const values = { workspaceId, replicaId, now, ttlMs, expiresAt: now + ttlMs };
    const fence = this.#do('acquireLease', () => this.#text(ACQUIRE, values));
    return fence === undefined ? undefined : { workspaceId, fence: Number(fence) };
  }

  async renewLease({ workspaceId, fence }: WorkLease, { ttlMs }: LeaseOptions): Promise<boolean> {
    const now = Date.now();
    const values = { workspaceId, fence, now, ttlMs, expiresAt: now + ttlMs };
    return this.#do('renewLease', () =>
      this.#change(`UPDATE leases SET expires_at = :expiresAt, ttl_ms = :ttlMs WHERE ${IS_HELD}`, values),
    );
  }

  async releaseLease({ workspaceId, fence }: WorkLease): Promise<void> {
    const values = { workspaceId, fence, now: Date.now() };
    this.#do('releaseLease', () => this.#change(`UPDATE leases SET expires_at = 0 WHERE ${IS_HELD}`, values));
  }

  async heartbeat({ replicaId, ttlMs }: LeaseOptions): Promise<boolean> {
    const now = Date.now();
    return this.#transact('heartbeat', () => {
      this.#change(`DELETE FROM attached WHERE replica_id NOT IN (${LIVING})`, { now });
      this.#change('DELETE FROM replicas WHERE expires_at <= :now', { now });
      const values = { replicaId, expiresAt: now + ttlMs };
      if (this.#change('UPDATE replicas SET expires_at = :expiresAt WHERE replica_id = :replicaId', values))
        return true;
      this.#change('INSERT INTO replicas VALUES (:replicaId, :expiresAt)', values);
      return false;
    });
  }

  async attach({ workspaceId, fence }: WorkLease, replicaId: string): Promise<boolean> {
    const values = { workspaceId, fence, replicaId, now: Date.now() };
    const query = `INSERT OR REPLACE INTO attached SELECT :workspaceId, :replicaId FROM leases WHERE ${IS_HELD}`;
    return this.#do('attach', () => this.#change(query, values));
  }

  async detach(workspaceId: string, replicaId: string): Promise<void> {
    const query = 'DELETE FROM attached WHERE workspace_id = :workspaceId AND replica_id = :replicaId';
    this.#do('detach', () => this.#change(query, { workspaceId, replicaId }));
  }

  async listAttached(workspaceId: string): Promise<readonly string[]> {
    const query = `SELECT replica_id AS value FROM attached
      WHERE workspace_id = :workspaceId AND replica_id IN (${LIVING}) ORDER BY value`;
    const rows = this.#do('listAttached', () => this.#open().prepare(query).all({ workspaceId, now: Date.now() }));
    return rows.map((row) => String(row['value']));
  }

  async forget(workspaceId: string): Promise<void> {
    this.#transact('forget', () => {
      for (const table of ['bindings', 'owners', 'slots', 'attached']) {
        this.#change(`DELETE FROM ${table} WHERE workspace_id = :workspaceId`, { workspaceId });
      }
    });
  }

  async close(): Promise<void> {
    this.#database?.close();
    this.#database = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Opened when it is first needed, and again after `close()`. */
  #open(): DatabaseSync {
    if (this.#database !== undefined) return this.#database;
    if (this.#path !== ':memory:') mkdirSync(dirname(this.#path), { recursive: true });
    const database = new DatabaseSync(this.#path, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
    return database;
  }

  /** What SQLite says is told as ours. */
  #do<T>(operation: string, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new ManagerStorageFailedError({ storage: 'sqlite', operation }, { cause });
    }
  }

  #transact<T>(operation: string, work: () => T): T {
    return this.#do(operation, () => {
      const database = this.#open();
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #text(query: string, values: Record<string, SQLInputValue>): string | undefined {
    const row = this.#open().prepare(query).get(values);
    return row === undefined ? undefined : String(row['value']);
  }

  /** @returns whether a row was changed */
  #change(query: string, values: Record<string, SQLInputValue>): boolean {
    return this.#open().prepare(query).run(values).changes !== 0;
  }
}

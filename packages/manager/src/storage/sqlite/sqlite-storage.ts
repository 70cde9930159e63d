import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
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
  CREATE TABLE IF NOT EXISTS leases (
    workspace_id TEXT PRIMARY KEY, fence INTEGER NOT NULL, replica_id TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS replicas (replica_id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS attached (
    workspace_id TEXT NOT NULL, replica_id TEXT NOT NULL, PRIMARY KEY (workspace_id, replica_id)
  ) WITHOUT ROWID;
`;

/** A lease that has run out keeps its row, so that the next one's fence is higher. */
const ACQUIRE = `
  INSERT INTO leases VALUES (:workspaceId, 1, :replicaId, :expiresAt)
  ON CONFLICT (workspace_id) DO UPDATE
    SET fence = fence + 1, replica_id = :replicaId, expires_at = :expiresAt WHERE expires_at <= :now
  RETURNING fence`;

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
    this.#run('INSERT INTO manager VALUES (1, :id) ON CONFLICT DO NOTHING', { id: randomUUID() });
    return text(this.#get('SELECT id AS value FROM manager')) ?? '';
  }

  async findBinding(binding: string): Promise<string | undefined> {
    return text(this.#get('SELECT workspace_id AS value FROM bindings WHERE binding = :binding', { binding }));
  }

  async bind(binding: string, workspaceId: string): Promise<string> {
    const values = { binding, workspaceId };
    this.#run('INSERT INTO bindings VALUES (:binding, :workspaceId) ON CONFLICT DO NOTHING', values);
    return (await this.findBinding(binding)) ?? workspaceId;
  }

  async findOwner(workspaceId: string): Promise<string | undefined> {
    return text(this.#get('SELECT user_id AS value FROM owners WHERE workspace_id = :workspaceId', { workspaceId }));
  }

  async claim(workspaceId: string, userId: string): Promise<string> {
    this.#run('INSERT INTO owners VALUES (:workspaceId, :userId) ON CONFLICT DO NOTHING', { workspaceId, userId });
    return (await this.findOwner(workspaceId)) ?? userId;
  }

  async acquireLease(workspaceId: string, { replicaId, ttlMs }: LeaseOptions): Promise<WorkLease | undefined> {
    const now = Date.now();
    const row = this.#get(ACQUIRE, { workspaceId, replicaId, now, expiresAt: now + ttlMs });
    return row && { workspaceId, fence: Number(row['fence']) };
  }

  async renewLease({ workspaceId, fence }: WorkLease, { ttlMs }: LeaseOptions): Promise<boolean> {
    const now = Date.now();
    const values = { workspaceId, fence, now, expiresAt: now + ttlMs };
    return this.#run(`UPDATE leases SET expires_at = :expiresAt WHERE ${IS_HELD}`, values);
  }

  async releaseLease({ workspaceId, fence }: WorkLease): Promise<void> {
    this.#run(`UPDATE leases SET expires_at = 0 WHERE ${IS_HELD}`, { workspaceId, fence, now: Date.now() });
  }

  async heartbeat({ replicaId, ttlMs }: LeaseOptions): Promise<void> {
    const now = Date.now();
    this.#run('DELETE FROM attached WHERE replica_id IN (SELECT replica_id FROM replicas WHERE expires_at <= :now)', {
      now,
    });
    this.#run('DELETE FROM replicas WHERE expires_at <= :now', { now });
    const values = { replicaId, expiresAt: now + ttlMs };
    this.#run('INSERT OR REPLACE INTO replicas VALUES (:replicaId, :expiresAt)', values);
  }

  async attach({ workspaceId, fence }: WorkLease, replicaId: string): Promise<boolean> {
    const values = { workspaceId, fence, replicaId, now: Date.now() };
    return this.#run(
      `INSERT OR REPLACE INTO attached SELECT :workspaceId, :replicaId FROM leases WHERE ${IS_HELD}`,
      values,
    );
  }

  async detach(workspaceId: string, replicaId: string): Promise<void> {
    const values = { workspaceId, replicaId };
    this.#run('DELETE FROM attached WHERE workspace_id = :workspaceId AND replica_id = :replicaId', values);
  }

  async listAttached(workspaceId: string): Promise<readonly string[]> {
    const query = `SELECT replica_id AS value FROM attached JOIN replicas USING (replica_id)
      WHERE workspace_id = :workspaceId AND expires_at > :now ORDER BY value`;
    const rows = this.#open().prepare(query).all({ workspaceId, now: Date.now() });
    return rows.map((row) => String(row['value']));
  }

  async forget(workspaceId: string): Promise<void> {
    for (const table of ['bindings', 'owners', 'attached']) {
      this.#run(`DELETE FROM ${table} WHERE workspace_id = :workspaceId`, { workspaceId });
    }
  }

  async close(): Promise<void> {
    this.#database?.close();
    this.#database = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(): DatabaseSync {
    if (this.#database !== undefined) return this.#database;
    if (this.#path !== ':memory:') mkdirSync(dirname(this.#path), { recursive: true });
    const database = new DatabaseSync(this.#path, { timeout: BUSY_TIMEOUT_MS });
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
    this.#database = database;
    return database;
  }

  #get(query: string, values: Record<string, SQLInputValue> = {}): Record<string, unknown> | undefined {
    return this.#open().prepare(query).get(values);
  }

  /** @returns whether a row was changed */
  #run(query: string, values: Record<string, SQLInputValue>): boolean {
    return this.#open().prepare(query).run(values).changes !== 0;
  }
}

const IS_HELD = 'workspace_id = :workspaceId AND fence = :fence AND expires_at > :now';

function text(row: Record<string, unknown> | undefined): string | undefined {
  return row === undefined ? undefined : String(row['value']);
}

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { CompactionState } from '@agent-workspace/ai-sdk';
import type { UIMessage, UIMessageChunk } from 'ai';
import { pendingApprovals } from '../chat/chat-input.ts';
import type { PermissionMode } from '../options.ts';
import type {
  ListSessionsOptions,
  PlacedMessage,
  ServiceStore,
  SessionKey,
  SessionRecord,
  WorkspaceRecord,
} from './service-store.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, agent_id TEXT NOT NULL, session_id TEXT NOT NULL,
    workspace_id TEXT NOT NULL, title TEXT NOT NULL, permission_mode TEXT NOT NULL, compaction TEXT,
    is_awaiting_approval INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (tenant, agent_id, session_id)
  );
  CREATE INDEX IF NOT EXISTS sessions_by_time ON sessions (tenant, updated_at);
  CREATE TABLE IF NOT EXISTS messages (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, position INTEGER NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (session, position)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chunks (
    number INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, chunk TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS chunks_of ON chunks (session, number);
  CREATE TABLE IF NOT EXISTS workspaces (
    tenant TEXT NOT NULL, workspace_id TEXT NOT NULL, agent_id TEXT NOT NULL, session_id TEXT NOT NULL,
    created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, PRIMARY KEY (tenant, workspace_id)
  ) WITHOUT ROWID;
`;

const SESSION = 'tenant = :tenant AND agent_id = :agentId AND session_id = :sessionId';
const ID = `(SELECT id FROM sessions WHERE ${SESSION})`;
const SESSION_FIELDS = `id, agent_id, session_id, workspace_id, title, permission_mode, is_awaiting_approval,
  created_at, updated_at,
  (SELECT count(*) FROM messages WHERE session = id) AS messages`;

type Row = Readonly<Record<string, SQLOutputValue>>;

/** What the service remembers, in one file by Node's own SQLite, which one process has to itself. */
export class SqliteServiceStore implements ServiceStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @param path of the file, made with its directory if it is not there. @throws where another process has it */
  static open(path: string): SqliteServiceStore {
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      // Held from now until the process ends, however it ends.
      database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
      database.exec(`PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; ${SCHEMA} COMMIT;`);
    } catch (cause) {
      database.close();
      throw new Error(`${path} cannot be opened (${(cause as Error).message}). Is it another service's?`, { cause });
    }
    return new SqliteServiceStore(database);
  }

  async check(): Promise<void> {
    this.#get('SELECT 1', {});
  }

  async findSession(key: SessionKey): Promise<SessionRecord | undefined> {
    const row = this.#get(`SELECT ${SESSION_FIELDS} FROM sessions WHERE ${SESSION}`, { ...key });
    return row && toSession(row);
  }

  async listSessions(tenant: string, options: ListSessionsOptions): Promise<readonly SessionRecord[]> {
    const { agentId = null, workspaceId = null, limit, before = `${Number.MAX_SAFE_INTEGER}-0` } = options;
    const [time = 0, id = 0] = before.split('-').map(Number);
    const query = `SELECT ${SESSION_FIELDS} FROM sessions
      WHERE tenant = :tenant AND (updated_at, id) < (:time, :id) AND agent_id = ifnull(:agentId, agent_id)
        AND workspace_id = ifnull(:workspaceId, workspace_id)
      ORDER BY updated_at DESC, id DESC LIMIT :limit`;
    return this.#all(query, { tenant, agentId, workspaceId, limit, time, id }).map(toSession);
  }

  async saveSession(
    key: SessionKey,
    { workspaceId, title, permissionMode }: Pick<SessionRecord, 'workspaceId' | 'title' | 'permissionMode'>,
  ): Promise<void> {
    const query = `INSERT INTO sessions
        (tenant, agent_id, session_id, workspace_id, title, permission_mode, created_at, updated_at)
      VALUES (:tenant, :agentId, :sessionId, :workspaceId, :title, :permissionMode, :now, :now)
      ON CONFLICT DO UPDATE SET workspace_id = :workspaceId, permission_mode = :permissionMode, updated_at = :now,
        title = iif(title = '', :title, title)`;
    this.#run(query, { ...key, workspaceId, title, permissionMode, now: Date.now() });
  }

  async deleteSession(key: SessionKey): Promise<void> {
    this.#run(`DELETE FROM sessions WHERE ${SESSION}`, { ...key });
  }

  async messages(key: SessionKey): Promise<readonly UIMessage[]> {
    const rows = this.#all(`SELECT message FROM messages WHERE session = ${ID} ORDER BY position`, { ...key });
    return rows.map((row) => JSON.parse(String(row['message'])) as UIMessage);
  }

  async putMessages(key: SessionKey, messages: readonly PlacedMessage[], keep: number): Promise<void> {
    this.#transact(() => {
      this.#run(`DELETE FROM messages WHERE session = ${ID} AND position >= :keep`, { ...key, keep });
      for (const message of messages) this.#put(key, message);
    });
  }

  /** The file is this process's alone, whose turns are known to it. */
  async claimTurn(): Promise<boolean> {
    return true;
  }

  async appendChunk(key: SessionKey, chunk: UIMessageChunk): Promise<void> {
    const query = `INSERT INTO chunks (session, chunk) SELECT id, :chunk FROM sessions WHERE ${SESSION}`;
    this.#run(query, { ...key, chunk: JSON.stringify(chunk) });
  }

  async chunks(key: SessionKey): Promise<readonly UIMessageChunk[]> {
    const rows = this.#all(`SELECT chunk FROM chunks WHERE session = ${ID} ORDER BY number`, { ...key });
    return rows.map((row) => JSON.parse(String(row['chunk'])) as UIMessageChunk);
  }

  async endTurn(key: SessionKey, message: PlacedMessage | undefined): Promise<void> {
    this.#transact(() => {
      if (message !== undefined) this.#put(key, message);
      this.#run(`DELETE FROM chunks WHERE session = ${ID}`, { ...key });
      this.#run(`UPDATE sessions SET updated_at = :now WHERE ${SESSION}`, { ...key, now: Date.now() });
    });
  }

  async releaseTurn(): Promise<void> {}

  async loadCompaction(key: SessionKey): Promise<CompactionState | undefined> {
    const state = this.#get(`SELECT compaction FROM sessions WHERE ${SESSION}`, { ...key })?.['compaction'];
    return typeof state === 'string' ? (JSON.parse(state) as CompactionState) : undefined;
  }

  async saveCompaction(key: SessionKey, state: CompactionState): Promise<void> {
    this.#run(`UPDATE sessions SET compaction = :state WHERE ${SESSION}`, { ...key, state: JSON.stringify(state) });
  }

  async noteWorkspace(tenant: string, workspace: Omit<WorkspaceRecord, 'createdAt' | 'lastUsedAt'>): Promise<void> {
    const query = `INSERT INTO workspaces VALUES (:tenant, :workspaceId, :agentId, :sessionId, :now, :now)
      ON CONFLICT DO UPDATE SET last_used_at = :now`;
    this.#run(query, { tenant, ...workspace, now: Date.now() });
  }

  async findWorkspace(tenant: string, workspaceId: string): Promise<WorkspaceRecord | undefined> {
    const query = 'SELECT * FROM workspaces WHERE tenant = :tenant AND workspace_id = :workspaceId';
    const row = this.#get(query, { tenant, workspaceId });
    return row && toWorkspace(row);
  }

  async listWorkspaces(tenant: string): Promise<readonly WorkspaceRecord[]> {
    const query = 'SELECT * FROM workspaces WHERE tenant = :tenant ORDER BY last_used_at DESC, workspace_id';
    return this.#all(query, { tenant }).map(toWorkspace);
  }

  async deleteWorkspace(tenant: string, workspaceId: string): Promise<void> {
    this.#transact(() => {
      for (const table of ['sessions', 'workspaces']) {
        this.#run(`DELETE FROM ${table} WHERE tenant = :tenant AND workspace_id = :workspaceId`, {
          tenant,
          workspaceId,
        });
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  #put(key: SessionKey, { position, message }: PlacedMessage): void {
    const query = `INSERT INTO messages SELECT id, :position, :message FROM sessions WHERE ${SESSION}
      ON CONFLICT DO UPDATE SET message = :message`;
    this.#run(query, { ...key, position, message: JSON.stringify(message) });
    const isAwaiting = pendingApprovals([message]).length > 0 ? 1 : 0;
    this.#run(`UPDATE sessions SET is_awaiting_approval = :isAwaiting WHERE ${SESSION}`, { ...key, isAwaiting });
  }

  #prepare(query: string): StatementSync {
    const existing = this.#statements.get(query);
    if (existing !== undefined) return existing;
    const made = this.#database.prepare(query);
    this.#statements.set(query, made);
    return made;
  }

  #get(query: string, values: Record<string, SQLInputValue>): Row | undefined {
    return this.#prepare(query).get(values);
  }

  #all(query: string, values: Record<string, SQLInputValue>): readonly Row[] {
    return this.#prepare(query).all(values);
  }

  #run(query: string, values: Record<string, SQLInputValue>): void {
    this.#prepare(query).run(values);
  }

  #transact(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

function toSession(row: Row): SessionRecord {
  return {
    agentId: String(row['agent_id']),
    sessionId: String(row['session_id']),
    workspaceId: String(row['workspace_id']),
    title: String(row['title']),
    permissionMode: String(row['permission_mode']) as PermissionMode,
    isAwaitingApproval: Number(row['is_awaiting_approval']) === 1,
    // The file is this process's alone.
    hasTurn: false,
    messages: Number(row['messages']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    cursor: `${Number(row['updated_at'])}-${Number(row['id'])}`,
  };
}

function toWorkspace(row: Row): WorkspaceRecord {
  return {
    workspaceId: String(row['workspace_id']),
    agentId: String(row['agent_id']),
    sessionId: String(row['session_id']),
    createdAt: Number(row['created_at']),
    lastUsedAt: Number(row['last_used_at']),
  };
}

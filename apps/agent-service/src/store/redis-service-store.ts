import type { CompactionState } from '@agent-workspace/ai-sdk';
import type { Logger } from '@agent-workspace/core';
import type { UIMessage, UIMessageChunk } from 'ai';
import { pendingApprovals } from '../chat/chat-input.ts';
import type { PermissionMode } from '../options.ts';
import { askRedis } from './ask-redis.ts';
import type { RedisConnection } from './redis-connection.ts';
import { type RedisCommand, RedisTurns } from './redis-turns.ts';
import type {
  ListSessionsOptions,
  PlacedMessage,
  ServiceStore,
  SessionKey,
  SessionRecord,
  WorkspaceRecord,
} from './service-store.ts';

const DEFAULT_TIMEOUT_MS = 5_000;
/** Sessions that are looked at together. */
const PAGE = 100;

export interface RedisServiceStoreOptions {
  /** Connected, and closed with the store. */
  readonly client: RedisConnection;
  readonly logger: Logger;
  /** Before every key. Default `agent-service:`. */
  readonly prefix?: string | undefined;
  /** Milliseconds that Redis may take to answer: one that hangs is waited for without end. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * What the service remembers, in Redis, for several replicas. A turn is the replica's that has it, which alone writes
 * to its session; what it leaves when it dies is torn.
 */
export class RedisServiceStore implements ServiceStore {
  readonly #client: RedisConnection;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #turns: RedisTurns;

  constructor(options: RedisServiceStoreOptions) {
    const { client, logger, prefix = 'agent-service:', timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    this.#client = client;
    this.#prefix = prefix;
    this.#timeoutMs = timeoutMs;
    this.#turns = new RedisTurns({ client, logger, timeoutMs });
  }

  async check(): Promise<void> {
    await this.#do('check', () => this.#client.ping());
  }

  async findSession(key: SessionKey): Promise<SessionRecord | undefined> {
    return await this.#do('findSession', () => this.#record(key));
  }

  async listSessions(tenant: string, options: ListSessionsOptions): Promise<readonly SessionRecord[]> {
    const { agentId, workspaceId, limit, before } = options;
    const found: SessionRecord[] = [];
    const [time = '+inf', skip = '0'] = before?.split('-') ?? [];
    // A cursor is a moment, and how many of those that were updated at that moment have been seen.
    let [moment, seen] = [Number(time), Number(skip)];
    for (let offset = seen; ; offset += PAGE) {
      const members = await this.#do('listSessions', () =>
        this.#client.zRangeWithScores(this.#index(tenant), time, '-inf', {
          BY: 'SCORE',
          REV: true,
          LIMIT: { offset, count: PAGE },
        }),
      );
      for (const { value, score } of members) {
        seen = score === moment ? seen + 1 : 1;
        moment = score;
        const [agent = '', session = ''] = JSON.parse(value) as string[];
        if (agentId !== undefined && agent !== agentId) continue;
        const record = await this.findSession({ tenant, agentId: agent, sessionId: session });
        if (record === undefined || (workspaceId !== undefined && record.workspaceId !== workspaceId)) continue;
        found.push({ ...record, cursor: `${moment}-${seen}` });
        if (found.length === limit) return found;
      }
      if (members.length < PAGE) return found;
    }
  }

  async saveSession(
    key: SessionKey,
    { workspaceId, title, permissionMode }: Pick<SessionRecord, 'workspaceId' | 'title' | 'permissionMode'>,
  ): Promise<void> {
    const name = this.#name('session', key);
    const now = String(Date.now());
    const existing = await this.#do('saveSession', () => this.#client.hGet(name, 'title'));
    const kept = existing === null || existing === '' ? title : existing;
    await this.#turns.change('saveSession', this.#name('turn', key), {
      commands: [
        ['HSETNX', name, 'createdAt', now],
        ['HSET', name, 'workspaceId', workspaceId, 'permissionMode', permissionMode, 'title', kept, 'updatedAt', now],
        ['ZADD', this.#index(key.tenant), now, memberOf(key)],
      ],
    });
  }

  async deleteSession(key: SessionKey): Promise<void> {
    const names = (['session', 'messages', 'chunks'] as const).map((kind) => this.#name(kind, key));
    await this.#do('deleteSession', () =>
      this.#client.multi().del(names).zRem(this.#index(key.tenant), memberOf(key)).exec(),
    );
  }

  async messages(key: SessionKey): Promise<readonly UIMessage[]> {
    const all = await this.#do('messages', () => this.#client.hGetAll(this.#name('messages', key)));
    return Object.entries(all)
      .toSorted(([a], [b]) => Number(a) - Number(b))
      .map(([, message]) => JSON.parse(message) as UIMessage);
  }

  async putMessages(key: SessionKey, messages: readonly PlacedMessage[], keep: number): Promise<void> {
    const name = this.#name('messages', key);
    const positions = await this.#do('putMessages', () => this.#client.hKeys(name));
    const gone = positions.filter((position) => Number(position) >= keep);
    await this.#change('putMessages', key, [
      ...gone.map((position) => ['HDEL', name, position]),
      ...messages.flatMap((message) => this.#put(key, message)),
    ]);
  }

  async claimTurn(key: SessionKey, onLost: (error: Error) => void): Promise<boolean> {
    return await this.#turns.claim(this.#name('turn', key), onLost);
  }

  async appendChunk(key: SessionKey, chunk: UIMessageChunk): Promise<void> {
    await this.#change('appendChunk', key, [['RPUSH', this.#name('chunks', key), JSON.stringify(chunk)]]);
  }

  async chunks(key: SessionKey): Promise<readonly UIMessageChunk[]> {
    const all = await this.#do('chunks', () => this.#client.lRange(this.#name('chunks', key), 0, -1));
    return all.map((chunk) => JSON.parse(chunk) as UIMessageChunk);
  }

  async endTurn(key: SessionKey, message: PlacedMessage | undefined): Promise<void> {
    const now = String(Date.now());
    await this.#change('endTurn', key, [
      ...(message === undefined ? [] : this.#put(key, message)),
      ['DEL', this.#name('chunks', key)],
      ['HSET', this.#name('session', key), 'updatedAt', now],
      ['ZADD', this.#index(key.tenant), now, memberOf(key)],
    ]);
  }

  async releaseTurn(key: SessionKey): Promise<void> {
    await this.#turns.release(this.#name('turn', key));
  }

  async loadCompaction(key: SessionKey): Promise<CompactionState | undefined> {
    const state = await this.#do('loadCompaction', () => this.#client.hGet(this.#name('session', key), 'compaction'));
    return state === null ? undefined : (JSON.parse(state) as CompactionState);
  }

  async saveCompaction(key: SessionKey, state: CompactionState): Promise<void> {
    await this.#change('saveCompaction', key, [
      ['HSET', this.#name('session', key), 'compaction', JSON.stringify(state)],
    ]);
  }

  async noteWorkspace(tenant: string, workspace: Omit<WorkspaceRecord, 'createdAt' | 'lastUsedAt'>): Promise<void> {
    const now = Date.now();
    const existing = await this.findWorkspace(tenant, workspace.workspaceId);
    const record = { ...workspace, createdAt: now, ...existing, lastUsedAt: now };
    await this.#do('noteWorkspace', () =>
      this.#client.hSet(this.#workspaces(tenant), workspace.workspaceId, JSON.stringify(record)),
    );
  }

  async findWorkspace(tenant: string, workspaceId: string): Promise<WorkspaceRecord | undefined> {
    const record = await this.#do('findWorkspace', () => this.#client.hGet(this.#workspaces(tenant), workspaceId));
    return record === null ? undefined : (JSON.parse(record) as WorkspaceRecord);
  }

  async listWorkspaces(tenant: string): Promise<readonly WorkspaceRecord[]> {
    const all = await this.#do('listWorkspaces', () => this.#client.hVals(this.#workspaces(tenant)));
    return all
      .map((record) => JSON.parse(record) as WorkspaceRecord)
      .toSorted((a, b) => b.lastUsedAt - a.lastUsedAt || a.workspaceId.localeCompare(b.workspaceId));
  }

  async deleteWorkspace(tenant: string, workspaceId: string): Promise<void> {
    const sessions = await this.listSessions(tenant, { workspaceId, limit: Number.MAX_SAFE_INTEGER });
    for (const { agentId, sessionId } of sessions) await this.deleteSession({ tenant, agentId, sessionId });
    await this.#do('deleteWorkspace', () => this.#client.hDel(this.#workspaces(tenant), workspaceId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turns.close();
    this.#client.destroy();
  }

  async #record(key: SessionKey): Promise<SessionRecord | undefined> {
    const name = this.#name('session', key);
    const [fields, messages, hasTurn] = await Promise.all([
      this.#client.hGetAll(name),
      this.#client.hLen(this.#name('messages', key)),
      this.#client.exists(this.#name('turn', key)),
    ]);
    if (fields['workspaceId'] === undefined) return undefined;
    return {
      agentId: key.agentId,
      sessionId: key.sessionId,
      workspaceId: fields['workspaceId'],
      title: fields['title'] ?? '',
      permissionMode: fields['permissionMode'] as PermissionMode,
      isAwaitingApproval: fields['isAwaitingApproval'] === '1',
      hasTurn: hasTurn === 1,
      messages,
      createdAt: Number(fields['createdAt']),
      updatedAt: Number(fields['updatedAt']),
      cursor: '',
    };
  }

  #put(key: SessionKey, { position, message }: PlacedMessage): readonly RedisCommand[] {
    const isAwaiting = pendingApprovals([message]).length > 0 ? '1' : '0';
    return [
      ['HSET', this.#name('messages', key), String(position), JSON.stringify(message)],
      ['HSET', this.#name('session', key), 'isAwaitingApproval', isAwaiting],
    ];
  }

  /** Changes a session that is there, of which this replica has the turn. */
  async #change(operation: string, key: SessionKey, commands: readonly RedisCommand[]): Promise<void> {
    await this.#turns.change(operation, this.#name('turn', key), { commands, existing: this.#name('session', key) });
  }

  /** Unambiguous, whatever characters the ids have. */
  #name(kind: 'session' | 'messages' | 'chunks' | 'turn', { tenant, agentId, sessionId }: SessionKey): string {
    return `${this.#prefix}${kind}:${JSON.stringify([tenant, agentId, sessionId])}`;
  }

  #index(tenant: string): string {
    return `${this.#prefix}sessions:${tenant}`;
  }

  #workspaces(tenant: string): string {
    return `${this.#prefix}workspaces:${tenant}`;
  }

  async #do<T>(operation: string, work: () => Promise<T>): Promise<T> {
    return await askRedis(operation, this.#timeoutMs, work);
  }
}

function memberOf({ agentId, sessionId }: SessionKey): string {
  return JSON.stringify([agentId, sessionId]);
}

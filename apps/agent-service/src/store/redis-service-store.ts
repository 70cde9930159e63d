import { setInterval } from 'node:timers';
import type { CompactionState } from '@agent-workspace/ai-sdk';
import { type Logger, ManagerStorageFailedError } from '@agent-workspace/core';
import type { UIMessage, UIMessageChunk } from 'ai';
import type { RedisClientType } from 'redis';
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

// oxlint-disable-next-line no-generated-empty-object-type -- no modules, no functions, no scripts
type None = Record<never, never>;
/** What `createClient()` gives by default. */
export type RedisConnection = RedisClientType<None, None, None, 3, None>;

/** A turn whose replica died is torn after this. */
const TURN_TTL_MS = 15_000;
const RENEWAL_MS = 5_000;
/** Sessions that are looked at together. */
const PAGE = 100;

export interface RedisServiceStoreOptions {
  /** Connected, and closed with the store. */
  readonly client: RedisConnection;
  readonly replicaId: string;
  readonly logger: Logger;
  /** Before every key. Default `agent-service:`. */
  readonly prefix?: string | undefined;
}

/**
 * What the service remembers, in Redis, for several replicas. A turn is the replica's that has it: it says so
 * again and again, and what it leaves when it dies is torn.
 */
export class RedisServiceStore implements ServiceStore {
  readonly #client: RedisConnection;
  readonly #options: RedisServiceStoreOptions;
  readonly #renewals = new Map<string, NodeJS.Timeout>();

  constructor(options: RedisServiceStoreOptions) {
    this.#client = options.client;
    this.#options = options;
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
    await this.#do('saveSession', () =>
      this.#client
        .multi()
        .hSetNX(name, 'createdAt', now)
        .hSet(name, { workspaceId, permissionMode, title: kept, updatedAt: now })
        .zAdd(this.#index(key.tenant), { score: Number(now), value: memberOf(key) })
        .exec(),
    );
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
    await this.#do('putMessages', () => {
      const change = this.#client.multi();
      if (gone.length > 0) change.hDel(name, gone);
      for (const message of messages) this.#put(change, key, message);
      return change.exec();
    });
  }

  async claimTurn(key: SessionKey): Promise<boolean> {
    const name = this.#name('turn', key);
    const { replicaId, logger } = this.#options;
    const expiration = { type: 'PX', value: TURN_TTL_MS } as const;
    const set = await this.#do('claimTurn', () => this.#client.set(name, replicaId, { condition: 'NX', expiration }));
    if (set === null) return false;
    const renew = (): void => {
      this.#client
        .pExpire(name, TURN_TTL_MS)
        .catch((error: unknown) => logger.warn('A turn was not renewed.', { error }));
    };
    this.#renewals.set(name, setInterval(renew, RENEWAL_MS).unref());
    return true;
  }

  async appendChunk(key: SessionKey, chunk: UIMessageChunk): Promise<void> {
    await this.#do('appendChunk', () => this.#client.rPush(this.#name('chunks', key), JSON.stringify(chunk)));
  }

  async chunks(key: SessionKey): Promise<readonly UIMessageChunk[]> {
    const all = await this.#do('chunks', () => this.#client.lRange(this.#name('chunks', key), 0, -1));
    return all.map((chunk) => JSON.parse(chunk) as UIMessageChunk);
  }

  async endTurn(key: SessionKey, message: PlacedMessage | undefined): Promise<void> {
    const now = Date.now();
    await this.#do('endTurn', () => {
      const change = this.#client.multi();
      if (message !== undefined) this.#put(change, key, message);
      return change
        .del(this.#name('chunks', key))
        .hSet(this.#name('session', key), 'updatedAt', String(now))
        .zAdd(this.#index(key.tenant), { score: now, value: memberOf(key) })
        .exec();
    });
  }

  async releaseTurn(key: SessionKey): Promise<void> {
    const name = this.#name('turn', key);
    clearInterval(this.#renewals.get(name));
    this.#renewals.delete(name);
    await this.#do('releaseTurn', () => this.#client.del(name));
  }

  async loadCompaction(key: SessionKey): Promise<CompactionState | undefined> {
    const state = await this.#do('loadCompaction', () => this.#client.hGet(this.#name('session', key), 'compaction'));
    return state === null ? undefined : (JSON.parse(state) as CompactionState);
  }

  async saveCompaction(key: SessionKey, state: CompactionState): Promise<void> {
    const name = this.#name('session', key);
    await this.#do('saveCompaction', () => this.#client.hSet(name, 'compaction', JSON.stringify(state)));
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
    for (const renewal of this.#renewals.values()) clearInterval(renewal);
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

  #put(change: ReturnType<RedisConnection['multi']>, key: SessionKey, { position, message }: PlacedMessage): void {
    change.hSet(this.#name('messages', key), String(position), JSON.stringify(message));
    const isAwaiting = pendingApprovals([message]).length > 0 ? '1' : '0';
    change.hSet(this.#name('session', key), 'isAwaitingApproval', isAwaiting);
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

  get #prefix(): string {
    return this.#options.prefix ?? 'agent-service:';
  }

  /** What Redis says is told as ours. */
  async #do<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new ManagerStorageFailedError({ storage: 'redis', operation }, { cause });
    }
  }
}

function memberOf({ agentId, sessionId }: SessionKey): string {
  return JSON.stringify([agentId, sessionId]);
}

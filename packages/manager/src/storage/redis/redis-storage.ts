import { randomUUID } from 'node:crypto';
import { ManagerStorageFailedError } from '@agent-workspace/core';
import type { LeaseOptions, ManagerStorage, WorkLease } from '../manager-storage.ts';

/** What is asked of a client: `createClient()` of `redis`, from version 5 on, gives one. */
export interface RedisClient {
  get(key: string): Promise<unknown>;
  set(
    key: string,
    value: string,
    options: {
      readonly condition?: 'NX';
      readonly expiration?: { readonly type: 'PX'; readonly value: number };
      readonly GET: true;
    },
  ): Promise<unknown>;
  sRem(key: string, member: string): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments?: string[] }): Promise<unknown>;
}

export interface RedisStorageOptions {
  /** Connected. It is the caller's: `close()` leaves it open. */
  readonly client: RedisClient;
  /** Before every key. Default `agent-workspace:`. Services that share a Redis and no tenants differ in it. */
  readonly prefix?: string | undefined;
  /** Milliseconds that Redis may take to answer: while it is away, a client waits for it without end. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 5_000;

/** A lease is a hash `{fence, replica, expires}`, by Redis's own clock, whose fence outlives it. */
const ACQUIRE = `
  local now = redis.call('TIME'); now = now[1] * 1000 + math.floor(now[2] / 1000)
  if tonumber(redis.call('HGET', KEYS[1], 'expires') or 0) > now then return 0 end
  local fence = redis.call('HINCRBY', KEYS[1], 'fence', 1)
  redis.call('HSET', KEYS[1], 'replica', ARGV[1], 'expires', now + ARGV[2])
  return fence`;

const IS_HELD = `
  local now = redis.call('TIME'); now = now[1] * 1000 + math.floor(now[2] / 1000)
  local lease = redis.call('HMGET', KEYS[1], 'fence', 'expires')
  if lease[1] ~= ARGV[1] or tonumber(lease[2] or 0) <= now then return 0 end`;
const RENEW = `${IS_HELD} redis.call('HSET', KEYS[1], 'expires', now + ARGV[2]) return 1`;
const RELEASE = `${IS_HELD} redis.call('HSET', KEYS[1], 'expires', 0) return 1`;
const ATTACH = `${IS_HELD} redis.call('SADD', KEYS[2], ARGV[2]) return 1`;

/** A set of the bindings that lead to a workspace is kept, so that they can be forgotten. */
const BIND = `
  local bound = redis.call('GET', KEYS[1])
  if bound then return bound end
  redis.call('SET', KEYS[1], ARGV[1])
  redis.call('SADD', KEYS[2], KEYS[1])
  return ARGV[1]`;
/** What is claimed is no slot any more, in one step. */
const CLAIM = `
  redis.call('DEL', KEYS[2])
  local owner = redis.call('GET', KEYS[1])
  if owner then return owner end
  redis.call('SET', KEYS[1], ARGV[1])
  return ARGV[1]`;
const MARK_SLOT = `
  if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SET', KEYS[2], '1') end
  return 1`;
/** A replica that came back after it was taken for dead is told so by its heartbeat, and attaches again. */
const LIST_ATTACHED = `
  local living = {}
  for _, replica in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    if redis.call('EXISTS', ARGV[1] .. replica) == 1 then table.insert(living, replica)
    else redis.call('SREM', KEYS[1], replica) end
  end
  return living`;
const FORGET = `
  for _, binding in ipairs(redis.call('SMEMBERS', KEYS[1])) do redis.call('DEL', binding) end
  redis.call('DEL', unpack(KEYS)) return 1`;

/** What the replicas of a service share, in Redis: one primary and no cluster, whose nodes would each have a part of the keys. */
export class RedisStorage implements ManagerStorage {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #timeoutMs: number;

  constructor({ client, prefix = 'agent-workspace:', timeoutMs = DEFAULT_TIMEOUT_MS }: RedisStorageOptions) {
    this.#client = client;
    this.#prefix = prefix;
    this.#timeoutMs = timeoutMs;
  }

  async managerId(): Promise<string> {
    return await this.#putIfAbsent('managerId', this.#key('manager-id'), randomUUID());
  }

  async findBinding(binding: string): Promise<string | undefined> {
    return await this.#get('findBinding', this.#key('binding', binding));
  }

  async bind(binding: string, workspaceId: string): Promise<string> {
    const keys = [this.#key('binding', binding), this.#key('bindings', workspaceId)];
    return (await this.#ask('bind', (client) => client.eval(BIND, { keys, arguments: [workspaceId] }))) as string;
  }

  async findOwner(workspaceId: string): Promise<string | undefined> {
    return await this.#get('findOwner', this.#key('owner', workspaceId));
  }

  async claim(workspaceId: string, userId: string): Promise<string> {
    const options = { keys: this.#ownerKeys(workspaceId), arguments: [userId] };
    return (await this.#ask('claim', (client) => client.eval(CLAIM, options))) as string;
  }

  async markSlot(workspaceId: string): Promise<void> {
    const options = { keys: this.#ownerKeys(workspaceId) };
    await this.#ask('markSlot', (client) => client.eval(MARK_SLOT, options));
  }

  async isSlot(workspaceId: string): Promise<boolean> {
    return (await this.#get('isSlot', this.#key('slot', workspaceId))) !== undefined;
  }

  async acquireLease(workspaceId: string, { replicaId, ttlMs }: LeaseOptions): Promise<WorkLease | undefined> {
    const options = { keys: [this.#key('lease', workspaceId)], arguments: [replicaId, String(ttlMs)] };
    const fence = Number(await this.#ask('acquireLease', (client) => client.eval(ACQUIRE, options)));
    return fence === 0 ? undefined : { workspaceId, fence };
  }

  async renewLease(lease: WorkLease, { ttlMs }: LeaseOptions): Promise<boolean> {
    return await this.#ifHeld('renewLease', RENEW, lease, { value: String(ttlMs) });
  }

  async releaseLease(lease: WorkLease): Promise<void> {
    await this.#ifHeld('releaseLease', RELEASE, lease);
  }

  async heartbeat({ replicaId, ttlMs }: LeaseOptions): Promise<boolean> {
    const options = { expiration: { type: 'PX', value: ttlMs }, GET: true } as const;
    const before = await this.#ask('heartbeat', (client) => client.set(this.#key('replica', replicaId), '1', options));
    return before !== null;
  }

  async attach(lease: WorkLease, replicaId: string): Promise<boolean> {
    const keys = [this.#key('attached', lease.workspaceId)];
    return await this.#ifHeld('attach', ATTACH, lease, { keys, value: replicaId });
  }

  async detach(workspaceId: string, replicaId: string): Promise<void> {
    await this.#ask('detach', (client) => client.sRem(this.#key('attached', workspaceId), replicaId));
  }

  async listAttached(workspaceId: string): Promise<readonly string[]> {
    const options = { keys: [this.#key('attached', workspaceId)], arguments: [this.#key('replica', '')] };
    const living = await this.#ask('listAttached', (client) => client.eval(LIST_ATTACHED, options));
    return (living as string[]).toSorted();
  }

  async forget(workspaceId: string): Promise<void> {
    const keys = ['bindings', 'owner', 'slot', 'attached'].map((kind) => this.#key(kind, workspaceId));
    await this.#ask('forget', (client) => client.eval(FORGET, { keys }));
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #key(...parts: readonly string[]): string {
    return this.#prefix + parts.join(':');
  }

  #ownerKeys(workspaceId: string): string[] {
    return [this.#key('owner', workspaceId), this.#key('slot', workspaceId)];
  }

  async #get(operation: string, key: string): Promise<string | undefined> {
    const value = await this.#ask(operation, (client) => client.get(key));
    return value === null ? undefined : (value as string);
  }

  /** @returns what is there now */
  async #putIfAbsent(operation: string, key: string, value: string): Promise<string> {
    const before = await this.#ask(operation, (client) => client.set(key, value, { condition: 'NX', GET: true }));
    return before === null ? value : (before as string);
  }

  async #ifHeld(
    operation: string,
    script: string,
    lease: WorkLease,
    { keys = [], value = '' }: { readonly keys?: readonly string[]; readonly value?: string } = {},
  ): Promise<boolean> {
    const options = {
      keys: [this.#key('lease', lease.workspaceId), ...keys],
      arguments: [String(lease.fence), value],
    };
    return Number(await this.#ask(operation, (client) => client.eval(script, options))) === 1;
  }

  /** What Redis or its client says, and their silence, are told as ours. */
  async #ask<T>(operation: string, command: (client: RedisClient) => Promise<T>): Promise<T> {
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(() => silence.reject(), this.#timeoutMs);
    try {
      return await Promise.race([command(this.#client), silence.promise]);
    } catch (cause) {
      throw new ManagerStorageFailedError({ storage: 'redis', operation }, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

import { randomUUID } from 'node:crypto';
import type { createClient } from 'redis';
import type { LeaseOptions, ManagerStorage, WorkLease } from '../manager-storage.ts';

/** What `createClient()` of `redis` gives, connected. */
type RedisClient = Pick<
  ReturnType<typeof createClient>,
  'get' | 'set' | 'eval' | 'sMembers' | 'sRem' | 'mGet' | 'close'
>;

export interface RedisStorageOptions {
  /** Connected. It is the caller's: `close()` leaves it open. */
  readonly client: RedisClient;
  /** Before every key. Default `agent-workspace:`. Services that share a Redis and no tenants differ in it. */
  readonly prefix?: string | undefined;
}

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
const FORGET = `
  for _, binding in ipairs(redis.call('SMEMBERS', KEYS[1])) do redis.call('DEL', binding) end
  redis.call('DEL', unpack(KEYS)) return 1`;

/** What the replicas of a service share, in Redis (one primary; on a cluster the keys need not lie on one node). */
export class RedisStorage implements ManagerStorage {
  readonly #client: RedisClient;
  readonly #prefix: string;

  constructor({ client, prefix = 'agent-workspace:' }: RedisStorageOptions) {
    this.#client = client;
    this.#prefix = prefix;
  }

  async managerId(): Promise<string> {
    return this.#putIfAbsent(this.#key('manager-id'), randomUUID());
  }

  async findBinding(binding: string): Promise<string | undefined> {
    return (await this.#client.get(this.#key('binding', binding))) ?? undefined;
  }

  async bind(binding: string, workspaceId: string): Promise<string> {
    const keys = [this.#key('binding', binding), this.#key('bindings', workspaceId)];
    return (await this.#client.eval(BIND, { keys, arguments: [workspaceId] })) as string;
  }

  async findOwner(workspaceId: string): Promise<string | undefined> {
    return (await this.#client.get(this.#key('owner', workspaceId))) ?? undefined;
  }

  async claim(workspaceId: string, userId: string): Promise<string> {
    return this.#putIfAbsent(this.#key('owner', workspaceId), userId);
  }

  async acquireLease(workspaceId: string, { replicaId, ttlMs }: LeaseOptions): Promise<WorkLease | undefined> {
    const keys = [this.#key('lease', workspaceId)];
    const fence = Number(await this.#client.eval(ACQUIRE, { keys, arguments: [replicaId, String(ttlMs)] }));
    return fence === 0 ? undefined : { workspaceId, fence };
  }

  async renewLease(lease: WorkLease, { ttlMs }: LeaseOptions): Promise<boolean> {
    return await this.#ifHeld(RENEW, lease, [], String(ttlMs));
  }

  async releaseLease(lease: WorkLease): Promise<void> {
    await this.#ifHeld(RELEASE, lease, []);
  }

  async heartbeat({ replicaId, ttlMs }: LeaseOptions): Promise<void> {
    await this.#client.set(this.#key('replica', replicaId), '1', { expiration: { type: 'PX', value: ttlMs } });
  }

  async attach(lease: WorkLease, replicaId: string): Promise<boolean> {
    return await this.#ifHeld(ATTACH, lease, [this.#key('attached', lease.workspaceId)], replicaId);
  }

  async detach(workspaceId: string, replicaId: string): Promise<void> {
    await this.#client.sRem(this.#key('attached', workspaceId), replicaId);
  }

  async listAttached(workspaceId: string): Promise<readonly string[]> {
    const replicaIds = (await this.#client.sMembers(this.#key('attached', workspaceId))).toSorted();
    if (replicaIds.length === 0) return [];
    const lives = await this.#client.mGet(replicaIds.map((replicaId) => this.#key('replica', replicaId)));
    const dead = replicaIds.filter((_, index) => lives[index] === null);
    if (dead.length > 0) await this.#client.sRem(this.#key('attached', workspaceId), dead);
    return replicaIds.filter((_, index) => lives[index] !== null);
  }

  async forget(workspaceId: string): Promise<void> {
    const keys = ['bindings', 'owner', 'attached'].map((kind) => this.#key(kind, workspaceId));
    await this.#client.eval(FORGET, { keys });
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #key(...parts: readonly string[]): string {
    return this.#prefix + parts.join(':');
  }

  /** @returns what is there now */
  async #putIfAbsent(key: string, value: string): Promise<string> {
    // With NX and GET together, an answer of nothing means that the value was put.
    return (await this.#client.set(key, value, { condition: 'NX', GET: true })) ?? value;
  }

  async #ifHeld(script: string, lease: WorkLease, keys: readonly string[], argument?: string): Promise<boolean> {
    const options = {
      keys: [this.#key('lease', lease.workspaceId), ...keys],
      arguments: [String(lease.fence), ...(argument === undefined ? [] : [argument])],
    };
    return Number(await this.#client.eval(script, options)) === 1;
  }
}

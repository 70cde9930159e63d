import { randomUUID } from 'node:crypto';
import type { Logger } from '@agent-workspace/core';
import { turnLost } from '../http/service-error.ts';
import { askRedis } from './ask-redis.ts';
import type { RedisConnection } from './redis-connection.ts';

/** A turn whose replica died is torn after this. */
const TURN_TTL_MS = 15_000;
const RENEWAL_MS = 5_000;

const IF_MINE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end`;
const RENEW = `${IF_MINE} return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE = `${IF_MINE} return redis.call('DEL', KEYS[1])`;
/** What comes after the token are commands, each after the number of its words. */
const CHANGE = `${IF_MINE}
  if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
  local at = 2
  while ARGV[at] do
    local last = at + ARGV[at]
    redis.call(unpack(ARGV, at + 1, last))
    at = last + 1
  end
  return 1`;

/** A command and its arguments. */
export type RedisCommand = readonly string[];

export interface RedisTurnsOptions {
  readonly client: RedisConnection;
  readonly logger: Logger;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

interface Claim {
  /** What the key says for as long as the turn is this one's. */
  readonly token: string;
  readonly renewal: NodeJS.Timeout;
}

/**
 * The turns that this replica has: it says so again and again. One that could not be renewed in time may be
 * another's by now, so that its end is told, and nothing more is written for it.
 */
export class RedisTurns {
  readonly #options: RedisTurnsOptions;
  readonly #claims = new Map<string, Claim>();

  constructor(options: RedisTurnsOptions) {
    this.#options = options;
  }

  /**
   * @param name the key of a turn
   * @returns `false` while another has it
   */
  async claim(name: string, onLost: (error: Error) => void): Promise<boolean> {
    const token = randomUUID();
    const claimedAt = performance.now();
    const expiration = { type: 'PX', value: TURN_TTL_MS } as const;
    const set = await this.#ask('claimTurn', (client) => client.set(name, token, { condition: 'NX', expiration }));
    if (set === null) return false;
    let heldUntil = claimedAt + TURN_TTL_MS;
    const renew = async (): Promise<void> => {
      const askedAt = performance.now();
      let isMine: boolean;
      try {
        isMine = await this.#eval('renewTurn', RENEW, [name], [token, String(TURN_TTL_MS)]);
        heldUntil = askedAt + TURN_TTL_MS;
      } catch (error) {
        this.#options.logger.warn('A turn was not renewed.', { error });
        isMine = performance.now() < heldUntil;
      }
      if (isMine || this.#claims.get(name)?.token !== token) return;
      clearInterval(renewal);
      onLost(turnLost());
    };
    const renewal = setInterval(() => void renew(), RENEWAL_MS).unref();
    this.#claims.set(name, { token, renewal });
    return true;
  }

  /**
   * Carries out all of the commands, or none where the turn is no longer this replica's.
   *
   * @param existing a key that has to be there as well
   * @throws `turn-lost`, `manager-storage-failed`
   */
  async change(
    operation: string,
    name: string,
    { commands, existing }: { readonly commands: readonly RedisCommand[]; readonly existing?: string | undefined },
  ): Promise<void> {
    const token = this.#claims.get(name)?.token;
    if (token === undefined) throw turnLost();
    const keys = existing === undefined ? [name] : [name, existing];
    const words = commands.flatMap((command) => [String(command.length), ...command]);
    if (!(await this.#eval(operation, CHANGE, keys, [token, ...words]))) throw turnLost();
  }

  async release(name: string): Promise<void> {
    const claim = this.#claims.get(name);
    if (claim === undefined) return;
    clearInterval(claim.renewal);
    this.#claims.delete(name);
    await this.#eval('releaseTurn', RELEASE, [name], [claim.token]);
  }

  /** Renews none any more. */
  close(): void {
    for (const { renewal } of this.#claims.values()) clearInterval(renewal);
  }

  async #eval(operation: string, script: string, keys: string[], values: string[]): Promise<boolean> {
    return (await this.#ask(operation, (client) => client.eval(script, { keys, arguments: values }))) === 1;
  }

  async #ask<T>(operation: string, ask: (client: RedisConnection) => Promise<T>): Promise<T> {
    return await askRedis(operation, this.#options.timeoutMs, () => ask(this.#options.client));
  }
}

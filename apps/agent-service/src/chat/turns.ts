import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../http/service-error.ts';
import type { SessionKey } from '../store/service-store.ts';
import { Turn } from './turn.ts';

/** A tool that does not heed its stop is left behind: its turn is repaired when the session goes on. */
const STOP_TIMEOUT_MS = 10_000;

export function chatInProgress(): ServiceError {
  const message = 'A turn of this session is under way. Follow it at …/chat/stream, or stop it at …/chat/stop.';
  return new ServiceError('chat-in-progress', message);
}

/** The turns that are under way in this process: one at a time for a session. */
export class Turns {
  readonly #turns = new Map<string, Turn>();
  readonly #mostTurns: number;
  #isDraining = false;

  constructor(mostTurns: number) {
    this.#mostTurns = mostTurns;
  }

  get size(): number {
    return this.#turns.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** @throws `service-draining`, `chat-in-progress`, `too-many-chats` */
  claim(key: SessionKey): Turn {
    if (this.#isDraining) throw new ServiceError('service-draining', 'The service is about to end. Try again soon.');
    const name = nameOf(key);
    if (this.#turns.has(name)) throw chatInProgress();
    if (this.#turns.size >= this.#mostTurns) {
      const message = `${this.#mostTurns} turns are under way, which is all that this service takes. Try again soon.`;
      throw new ServiceError('too-many-chats', message);
    }
    const turn = new Turn(key);
    this.#turns.set(name, turn);
    return turn;
  }

  find(key: SessionKey): Turn | undefined {
    return this.#turns.get(nameOf(key));
  }

  /** From now on its session may have another. */
  release(turn: Turn): void {
    this.#turns.delete(nameOf(turn.key));
  }

  countOf(tenant: string): number {
    return [...this.#turns.values()].filter(({ key }) => key.tenant === tenant).length;
  }

  isUsing(workspaceId: string): boolean {
    return [...this.#turns.values()].some((turn) => turn.workspaceId === workspaceId);
  }

  /** Stops a session's turn, and waits until it is stored. @returns whether there was one */
  async stop(key: SessionKey, reason: string): Promise<boolean> {
    const turn = this.find(key);
    turn?.stop(reason);
    await turn?.ended;
    return turn !== undefined;
  }

  /** Admits no more; waits for those under way as long as may be, then stops them. */
  async drain(timeoutMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#untilEnded(timeoutMs);
    for (const turn of this.#turns.values()) turn.stop('The service was shut down while the turn was under way.');
    await this.#untilEnded(STOP_TIMEOUT_MS);
  }

  /** Until all turns are over, or so long. */
  async #untilEnded(timeoutMs: number): Promise<void> {
    const ended = new AbortController();
    const late = sleep(timeoutMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([Promise.all([...this.#turns.values()].map((turn) => turn.ended)), late]);
    ended.abort();
  }
}

function nameOf({ tenant, agentId, sessionId }: SessionKey): string {
  return JSON.stringify([tenant, agentId, sessionId]);
}

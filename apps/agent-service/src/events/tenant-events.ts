import type { Logger } from '@agent-workspace/core';
import { EventLog } from './event-log.ts';
import type { ServiceEvent } from './service-event.ts';

/** Enough for a client that comes back after a minute. */
const KEPT_EVENTS = 500;
/** Workspaces whose owners are remembered; others are looked up. */
const KNOWN_OWNERS = 10_000;

export interface TenantEventsOptions {
  /** Whose a workspace is, by what outlives the process. */
  readonly findOwner: (workspaceId: string) => Promise<string | undefined>;
  readonly logger: Logger;
}

/** The events of all workspaces, each told to its own tenant and to nobody else. */
export class TenantEvents {
  readonly #options: TenantEventsOptions;
  readonly #logs = new Map<string, EventLog<ServiceEvent>>();
  readonly #owners = new Map<string, string>();
  /** What happens to a workspace is told in its order, though its owner has to be looked up first. */
  readonly #pending = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: TenantEventsOptions) {
    this.#options = options;
  }

  of(tenant: string): EventLog<ServiceEvent> {
    const existing = this.#logs.get(tenant);
    if (existing !== undefined) return existing;
    const made = new EventLog<ServiceEvent>({ capacity: KEPT_EVENTS });
    if (this.#isClosed) made.close();
    this.#logs.set(tenant, made);
    return made;
  }

  own(workspaceId: string, tenant: string): void {
    this.#owners.delete(workspaceId);
    this.#owners.set(workspaceId, tenant);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > KNOWN_OWNERS && oldest !== undefined) this.#owners.delete(oldest);
  }

  /** Tells the tenant whose workspace it is about; nobody, where it is nobody's. */
  tell(event: ServiceEvent): void {
    const { workspaceId } = event;
    const before = this.#pending.get(workspaceId);
    const owner = this.#owners.get(workspaceId);
    if (before === undefined && owner !== undefined) {
      this.of(owner).append(event);
      return;
    }
    const told = (before ?? Promise.resolve()).then(() => this.#tellLater(event));
    this.#pending.set(workspaceId, told);
    void told.then(() => {
      if (this.#pending.get(workspaceId) === told) this.#pending.delete(workspaceId);
    });
  }

  async #tellLater(event: ServiceEvent): Promise<void> {
    const { workspaceId } = event;
    try {
      const owner = this.#owners.get(workspaceId) ?? (await this.#options.findOwner(workspaceId));
      if (owner === undefined) return;
      this.own(workspaceId, owner);
      this.of(owner).append(event);
    } catch (error) {
      this.#options.logger.warn('An event was told to nobody.', { type: event.type, workspaceId, error });
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const log of this.#logs.values()) log.close();
  }
}

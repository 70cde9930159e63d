import type { Workspace, WorkspaceKey, WorkspaceManager } from '@agent-workspace/core';
import { afterEach, vi } from 'vitest';
import type { WorkspaceHooks } from './workspace-hooks.ts';

/** What the suite calls of a manager. */
export interface ContractManager extends WorkspaceManager {
  initialize(): Promise<void>;
  /** Closes at once the workspaces whose time is over. */
  sweep(): Promise<void>;
}

/** What a manager tells, as far as the suite looks at it. */
export interface ContractManagerEvent {
  readonly type: string;
  readonly durationMs: number;
  readonly workspaceId?: string | undefined;
  readonly reason?: string | undefined;
  readonly operation?: string | undefined;
  readonly error?: unknown;
}

type AssignWorkspaceId = (key: WorkspaceKey) => string | Promise<string>;

/** What a test wants of its manager: the manager's own options, and what the factory does for the suite. */
export interface ContractManagerSettings {
  readonly isolation?: 'per-session' | 'per-agent' | 'per-user' | undefined;
  readonly ttlMs?: number | undefined;
  readonly sweepIntervalMs?: number | undefined;
  readonly maxBackgroundMs?: number | undefined;
  readonly drainTimeoutMs?: number | undefined;
  readonly prewarm?: { readonly size: number; readonly maxCreating?: number | undefined } | undefined;
  readonly trustWorkspaceIds?: boolean | undefined;
  readonly onEvent?: ((event: ContractManagerEvent) => void) | undefined;
  /** A policy that overrides `assignWorkspaceId()`, given what it overrides. */
  readonly policy?: ((key: WorkspaceKey, inherited: AssignWorkspaceId) => string | Promise<string>) | undefined;
  /** For `hookWorkspace()`, with each workspace that the manager makes. */
  readonly hooks?: WorkspaceHooks | undefined;
  /** The data of its workspaces go with what they run in: their `isPersistent` is `false`. */
  readonly isVolatile?: boolean | undefined;
}

/** For whatever is waited for, on a machine that has much else to do. */
export const WAIT: { readonly timeout: number } = { timeout: 120_000 };
/** Milliseconds for a test, and for what is done after it: an engine takes seconds for each workspace. */
export const TEST_TIMEOUT_MS = 180_000;

/** How the manager contract makes managers of an engine. */
export interface ManagerContractOptions {
  /**
   * A new manager, not initialized. `place` names where its data are, and its storage if it has one: another
   * name is an empty place, the same one again is another manager of the same service.
   */
  create(place: string, settings: ContractManagerSettings): Promise<ContractManager>;
  /** Removes a place, when every manager on it is closed. */
  cleanUp(place: string): Promise<void>;
  /** Ends what is behind a workspace, such as its container, with no word to the manager. */
  kill(workspace: Workspace): Promise<void>;
  /** Whether there is anything of a workspace at a place: a directory, a volume, a sandbox. */
  hasData(place: string, workspaceId: string): Promise<boolean>;
  /** The managers have a storage bound, one for each place. */
  readonly isStorageBound: boolean;
  /**
   * The data outlive `kill()`. Default true. Where they are in what is killed, as in a hosted sandbox, a dead workspace
   * cannot be attached to again: `manager:dead-reattached` is left out, and `manager:dead-lost` is what holds.
   */
  readonly survivesKill?: boolean | undefined;
  /** Rounds of the race between an eviction and a get. Default 1,000; fewer where a build takes long. */
  readonly races?: number | undefined;
}

/** Makes the managers of one test, and ends them with it. */
export class ManagerMaker {
  readonly #options: ManagerContractOptions;
  readonly #made: ContractManager[] = [];
  readonly #places = new Set<string>();
  #count = 0;

  constructor(options: ManagerContractOptions) {
    this.#options = options;
  }

  /** A name for an empty place. */
  place(): string {
    this.#count += 1;
    return `managed-${process.pid}-${Date.now().toString(36)}-${this.#count}`;
  }

  async create(settings: ContractManagerSettings = {}, place: string = this.place()): Promise<ContractManager> {
    this.#places.add(place);
    const manager = await this.#options.create(place, settings);
    this.#made.push(manager);
    return manager;
  }

  /** As `create`, and initialized. */
  async open(settings: ContractManagerSettings = {}, place?: string): Promise<ContractManager> {
    const manager = await this.create(settings, place);
    await manager.initialize();
    return manager;
  }

  async cleanUp(): Promise<void> {
    await Promise.all(this.#made.splice(0).map((manager) => manager[Symbol.asyncDispose]()));
    for (const place of this.#places) await this.#options.cleanUp(place);
    this.#places.clear();
  }
}

/** A maker for the tests of the surrounding `describe`, emptied after each of them. */
export function useManagers(options: ManagerContractOptions): ManagerMaker {
  const maker = new ManagerMaker(options);
  afterEach(async () => {
    vi.useRealTimers();
    await maker.cleanUp();
  }, TEST_TIMEOUT_MS);
  return maker;
}

/**
 * Stops the clock, so that what the test itself takes is no time that a workspace was idle. Timers keep
 * their own time.
 */
export function stopTime(): void {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
}

/** Lets so many milliseconds go by for whoever looks at the clock, and no more. */
export function passTime(milliseconds: number): void {
  stopTime();
  vi.setSystemTime(Date.now() + milliseconds);
}

/** The key of a user, an agent and a session. */
export function keyOf(userId: string, agentId = 'agent', sessionId = 'session'): WorkspaceKey {
  return { userId, agentId, sessionId };
}

/** Puts a file into a workspace. */
export async function putFile(workspace: Workspace, name: string, text: string): Promise<void> {
  await workspace.backend.writeFile(`${workspace.workdir}/${name}`, Buffer.from(text));
}

/** The text of a file of a workspace; `undefined` if there is none. */
export async function getFile(workspace: Workspace, name: string): Promise<string | undefined> {
  const path = `${workspace.workdir}/${name}`;
  if ((await workspace.backend.stat(path)) === undefined) return undefined;
  return Buffer.from((await workspace.backend.readFile(path)).bytes).toString('utf8');
}

/** Lets everything happen that waits for nothing but its turn. */
export async function yieldTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

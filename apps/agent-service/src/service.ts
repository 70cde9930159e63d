import { join } from 'node:path';
import type { Logger, WorkspaceManager } from '@agent-workspace/core';
import type { ManagerEvent, ManagerStorage } from '@agent-workspace/manager';
import { type LoadedTokens, loadTokens } from './auth/load-tokens.ts';
import { Turns } from './chat/turns.ts';
import { type ApiEvent, fromApi, fromManager, fromWorkspace } from './events/service-event.ts';
import { TenantEvents } from './events/tenant-events.ts';
import { Metrics } from './metrics.ts';
import { type ModelSource, modelSource } from './model/model-source.ts';
import type { ServiceOptions } from './options.ts';
import { loadPlace, traitsOf } from './places/open-manager.ts';
import { openStorages } from './store/open-storages.ts';
import type { ServiceStore } from './store/service-store.ts';
import { sessionNames } from './workspaces/session-names.ts';
import { WorkspaceAccess } from './workspaces/workspace-access.ts';

/** Between two looks for workspaces whose time is over, at the most. */
const LONGEST_SWEEP_INTERVAL_MS = 60_000;
/** What else holds a workspace when turns have ended: requests that are about to be answered. */
const LEASE_DRAIN_MS = 5_000;

/** All that requests are answered with: it lives as long as the process serves. */
export interface Service extends AsyncDisposable {
  readonly options: ServiceOptions;
  readonly logger: Logger;
  readonly tokens: LoadedTokens;
  readonly store: ServiceStore;
  readonly models: ModelSource;
  readonly turns: Turns;
  readonly workspaces: WorkspaceAccess;
  readonly events: TenantEvents;
  readonly metrics: Metrics;
  /** Nothing of a tenant may run on this machine: no shell, no MCP servers. */
  readonly isHostSafe: boolean;
  readonly startedAt: number;
  /** Tells the tenant of a workspace what was done with it. */
  tell(event: ApiEvent, about: Parameters<typeof fromApi>[1]): void;
  /** @throws where what the service remembers is not to be had */
  checkStorage(): Promise<void>;
  /** Admits no more turns and ends those under way, then lets the followers of events go. */
  drain(): Promise<void>;
}

/** @throws UsageError, and what the manager, the storages or the engine say */
export async function openService(options: ServiceOptions, logger: Logger): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const tokens = await loadTokens({ ...options, logger });
  const { storage, store } = await openStorages(options, logger);
  opened.use(store);
  opened.use(storage);
  const metrics = opened.adopt(new Metrics(), (made) => made.close());
  const events = opened.adopt(
    new TenantEvents({ findOwner: (workspaceId) => storage.findOwner(workspaceId), logger }),
    (made) => made.close(),
  );
  const names = sessionNames(options.isolation);
  const isHostSafe = !traitsOf(options.backend).isSandboxed && !options.isSingleTenant;
  const onManagerEvent = (event: ManagerEvent): void => {
    metrics.managerTold(event.type);
    if (event.type === 'workspace-failed') logger.warn('The manager failed at something.', { ...event });
    if (event.type === 'workspace-evicted') workspaces.forget(event.workspaceId);
    const { workspaceId } = event;
    if (workspaceId !== undefined) events.tell(fromManager({ ...event, workspaceId }));
  };
  const manager = await openManager(options, {
    storage,
    logger,
    onEvent: onManagerEvent,
    onWorkspaceEvent: (event, workspaceId) => events.tell(fromWorkspace(event, workspaceId, names)),
  });
  opened.use(manager);
  const workspaces: WorkspaceAccess = new WorkspaceAccess({
    manager,
    store,
    names,
    ttlMs: options.ttlMs,
    isHostSafe,
    onOwner: (workspaceId, tenant) => events.own(workspaceId, tenant),
  });
  const turns = new Turns(options.maxChats);
  const resources = opened.move();
  return {
    options,
    logger,
    tokens,
    store,
    models: modelSource(options.model),
    turns,
    workspaces,
    events,
    metrics,
    isHostSafe,
    startedAt: Date.now(),
    tell: (event, about) => events.tell(fromApi(event, about)),
    checkStorage: async () => {
      await Promise.all([store.check(), storage.managerId()]);
    },
    drain: async () => {
      await turns.drain(options.drainMs);
      events.close();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

type Listeners = Pick<Parameters<Awaited<ReturnType<typeof loadPlace>>>[0], 'onEvent' | 'onWorkspaceEvent'>;

async function openManager(
  { backend, basedir, network, memoryBytes, cluster, isolation, ttlMs }: ServiceOptions,
  others: Listeners & { readonly storage: ManagerStorage; readonly logger: Logger },
): Promise<WorkspaceManager> {
  const open = await loadPlace(backend);
  return await open({
    basedir: join(basedir, 'workspaces'),
    sandbox: { network, memoryBytes },
    cluster,
    isolation,
    ttlMs,
    sweepIntervalMs: Math.min(ttlMs, LONGEST_SWEEP_INTERVAL_MS),
    drainTimeoutMs: LEASE_DRAIN_MS,
    ...others,
  });
}

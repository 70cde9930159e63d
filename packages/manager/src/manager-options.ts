import { hostname } from 'node:os';
import { createHash } from 'node:crypto';
import { type Logger, ManagerOptionsInvalidError } from '@agent-workspace/core';
import type { ManagerEventListener } from './events/manager-event.ts';
import type { ManagerTracer } from './events/manager-tracer.ts';
import type { Isolation } from './identity/isolation.ts';
import type { PrewarmOptions } from './prewarm/prewarm-buffer.ts';
import type { ManagerStorage } from './storage/manager-storage.ts';

export interface WorkspaceManagerOptions {
  /** Who shares a workspace. Default `per-agent`. */
  readonly isolation?: Isolation | undefined;
  /** Milliseconds after its last use until a workspace is closed; its data stay. Default 3,600,000 (an hour). */
  readonly ttlMs?: number | undefined;
  /** Milliseconds between two looks for workspaces whose time is over. Default 300,000. */
  readonly sweepIntervalMs?: number | undefined;
  /** Milliseconds for which a command in the background keeps a workspace open, with nothing else in use. Default 21,600,000 (six hours). */
  readonly maxBackgroundMs?: number | undefined;
  /** Milliseconds that `closeAll()` waits for leases. Default 30,000. */
  readonly drainTimeoutMs?: number | undefined;
  /** Workspaces built before anyone asks. Default: none. */
  readonly prewarm?: PrewarmOptions | undefined;
  /** What outlives this process, and what replicas agree by. Default: nothing does. */
  readonly storage?: ManagerStorage | undefined;
  /**
   * Takes any explicit id that nobody is known to own, for its first user: for a service that makes all
   * ids by itself, and does not take them from its users. Default false.
   */
  readonly trustWorkspaceIds?: boolean | undefined;
  /** Marks this service's sandboxes. Default: kept in the storage, else derived from this host and what the manager is for. */
  readonly managerId?: string | undefined;
  readonly onEvent?: ManagerEventListener | undefined;
  /** A span is made of each event with it: a tracer of OpenTelemetry. Default: none. */
  readonly tracer?: ManagerTracer | undefined;
  readonly logger?: Logger | undefined;
}

export type ManagerTimes = Readonly<Record<'ttlMs' | 'sweepIntervalMs' | 'maxBackgroundMs' | 'drainTimeoutMs', number>>;

const DEFAULTS: ManagerTimes = {
  ttlMs: 3_600_000,
  sweepIntervalMs: 300_000,
  // A build or a training may run over night's first half; what runs longer was most likely forgotten.
  maxBackgroundMs: 6 * 3_600_000,
  drainTimeoutMs: 30_000,
};

/** `setTimeout` takes no more. */
const LONGEST_MS = 2 ** 31 - 1;

/** @throws `manager-options-invalid` */
export function managerTimes(options: WorkspaceManagerOptions): ManagerTimes {
  const time = (option: keyof ManagerTimes, least: number): number => {
    const value = options[option] ?? DEFAULTS[option];
    if (Number.isFinite(value) && value >= least && value <= LONGEST_MS) return value;
    const reason = `give milliseconds from ${least} to ${LONGEST_MS}, and not ${String(value)}.`;
    throw new ManagerOptionsInvalidError({ option, reason });
  };
  return {
    ttlMs: time('ttlMs', 1),
    sweepIntervalMs: time('sweepIntervalMs', 1),
    maxBackgroundMs: time('maxBackgroundMs', 0),
    drainTimeoutMs: time('drainTimeoutMs', 0),
  };
}

/** @throws `manager-options-invalid` */
export function checkPrewarm(prewarm: PrewarmOptions): void {
  const { size, maxCreating } = prewarm;
  for (const [name, value] of Object.entries({ size, maxCreating })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue;
    const reason = 'give a whole number from 1 on, or leave prewarm out.';
    throw new ManagerOptionsInvalidError({ option: `prewarm.${name}`, reason });
  }
}

/** Of a manager that no storage was bound to: the same after a restart on this host. */
export function derivedManagerId(purpose: string): string {
  return createHash('sha256')
    .update(JSON.stringify([hostname(), purpose]))
    .digest('hex')
    .slice(0, 32);
}

import { type Logger, PodStartFailedError } from '@agent-workspace/core';
import type { V1Pod } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { type ClusterEvent, followEvents, lastWarnings } from './events.ts';
import { followPod } from './follow-pod.ts';
import { CONTAINER } from './pod-spec.ts';
import { type PodProblem, podState } from './pod-state.ts';

export interface AwaitRunningOptions {
  readonly claimUid: string | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds that it may take. */
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/** A class that is not there is not made by waiting. */
const NO_STORAGE_CLASS = /storageclass\.storage\.k8s\.io ".*" not found/;

/** The reason of a Pod that was waited for in vain, where the cluster tells of no problem. */
const LATE = 'Timeout';

/**
 * Settles as soon as the container of a Pod has started: by its status, or by an event, which comes earlier, since
 * a node tells of states once a second.
 *
 * @throws `pod-start-failed` for what does not pass by itself, and after `timeoutMs`; the signal's reason
 */
export async function awaitRunning(
  connection: ClusterConnection,
  pod: V1Pod,
  options: AwaitRunningOptions,
): Promise<void> {
  if (podState(pod).kind === 'running') return;
  const { name = '', uid } = pod.metadata ?? {};
  const { claimUid, signal, timeoutMs, logger } = options;
  const uids = [uid, claimUid];
  const done = new AbortController();
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, deadline, done.signal]);
  const progress: { problem?: PodProblem | undefined } = {};
  try {
    const started = Promise.withResolvers<void>();
    const byStatus = watchStatus(connection, pod, { name, signal: either, logger }, progress);
    const byEvents = watchEvents(connection, { name, uids, signal: either, logger });
    byStatus.then(started.resolve, started.reject);
    byEvents.then((has) => has && started.resolve(), started.reject);
    await started.promise;
  } catch (error) {
    signal.throwIfAborted();
    if (PodStartFailedError.isInstance(error)) throw error;
    const isProblem = error instanceof Problem;
    if (!isProblem && !deadline.aborted) throw error;
    const { reason, explanation } = isProblem ? error : (progress.problem ?? { reason: LATE, explanation: '' });
    const warnings = (await lastWarnings(connection, name, uids)).map((one) => `${one.reason}: ${one.message}`);
    const late = isProblem ? [] : [`it does not run after ${timeoutMs} ms`];
    const all = new Set([explanation, ...warnings, ...late].map((one) => one.trim()).filter((one) => one !== ''));
    throw new PodStartFailedError(
      { pod: `${connection.namespace}/${name}`, reason, explanation: [...all].join('; ') },
      { cause: error },
    );
  } finally {
    done.abort();
  }
}

/** What does not pass by itself. */
class Problem extends Error {
  readonly reason: string;
  readonly explanation: string;

  constructor({ reason, explanation }: PodProblem) {
    super(explanation);
    this.reason = reason;
    this.explanation = explanation;
  }
}

async function watchStatus(
  connection: ClusterConnection,
  pod: V1Pod,
  options: { readonly name: string; readonly signal: AbortSignal; readonly logger: Logger },
  progress: { problem?: PodProblem | undefined },
): Promise<void> {
  for await (const now of followPod(connection, pod, options)) {
    if (now === undefined) break;
    const state = podState(now);
    switch (state.kind) {
      case 'running':
        return;
      case 'ended':
        throw new Problem(state.problem);
      case 'leaving':
        throw new Problem({ reason: 'Deleted', explanation: 'somebody has it deleted' });
      case 'starting':
        progress.problem = state.problem;
        if (state.isHopeless && state.problem !== undefined) throw new Problem(state.problem);
    }
  }
  throw new Problem({ reason: 'Deleted', explanation: 'somebody has deleted it' });
}

/** @returns whether the container has started; where events may not be watched it never says so */
async function watchEvents(
  connection: ClusterConnection,
  options: {
    readonly name: string;
    readonly uids: readonly (string | undefined)[];
    readonly signal: AbortSignal;
    readonly logger: Logger;
  },
): Promise<boolean> {
  for await (const event of followEvents(connection, options.name, options)) {
    if (!options.uids.includes(event.uid)) continue;
    if (hasStarted(event)) return true;
    if (event.reason === 'ProvisioningFailed' && NO_STORAGE_CLASS.test(event.message)) {
      throw new Problem({ reason: event.reason, explanation: event.message });
    }
  }
  return false;
}

function hasStarted({ kind, reason, fieldPath }: ClusterEvent): boolean {
  return kind === 'Pod' && reason === 'Started' && fieldPath === `spec.containers{${CONTAINER}}`;
}

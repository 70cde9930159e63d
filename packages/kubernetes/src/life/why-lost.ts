import { setTimeout } from 'node:timers/promises';
import { WorkspaceError } from '@agent-workspace/core';
import type { V1Pod } from '@kubernetes/client-node';
import { OOM_SCRIPT } from '../bootstrap/scripts.ts';
import type { PodReference } from '../exec/exec-stream.ts';
import { runCommand } from '../exec/run-command.ts';
import { readPod } from '../pod/follow-pod.ts';
import { podState } from '../pod/pod-state.ts';

/** A node tells what became of a container within a second or two. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

/** How many processes of a Pod are known to have been killed for their memory. */
export interface OomTally {
  kills: number;
}

export interface WhyLostOptions {
  readonly uid: string | undefined;
  /** As many as there were before; what is told once is not told again. */
  readonly tally: OomTally;
}

/**
 * Why what ran in a Pod has ended, where it is the Pod's doing: it was evicted, deleted, or had no memory left.
 *
 * @returns `undefined` where the Pod runs as before, or cannot be asked about
 */
export async function whyLost(pod: PodReference, { uid, tally }: WhyLostOptions): Promise<string | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    for (;;) {
      const [now, kills] = await Promise.all([
        readPod(pod.connection, pod.name, { signal }),
        countOomKills(pod, signal),
      ]);
      const told = whatIsTold(now, uid);
      if (told !== undefined) return told;
      // One in which commands run is there still, whatever has ended in it.
      if (kills !== undefined) {
        const isNews = kills > tally.kills;
        tally.kills = kills;
        return isNews ? OUT_OF_MEMORY : undefined;
      }
      await setTimeout(LOOK_MS, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted || WorkspaceError.isInstance(error)) return undefined;
    throw error;
  }
}

export const WAS_DELETED = 'its Pod was deleted';

const OUT_OF_MEMORY = 'a process of its Pod was killed since the memory limit of the container was reached (OOMKilled)';

/** @returns `undefined` where no command can be run in it */
async function countOomKills(pod: PodReference, signal: AbortSignal): Promise<number | undefined> {
  try {
    const { exitCode, stdout } = await runCommand(pod, ['sh', '-c', OOM_SCRIPT], { signal });
    return exitCode === 0 ? Number(stdout.trim()) : undefined;
  } catch {
    return undefined;
  }
}

/** What the cluster tells of a Pod that does not run any more. */
export function whatIsTold(pod: V1Pod | undefined, uid: string | undefined): string | undefined {
  if (pod?.metadata?.uid !== uid || pod === undefined) return WAS_DELETED;
  const state = podState(pod);
  const disruption = pod.status?.conditions?.find(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  const because = disruption === undefined ? '' : ` (${disruption.reason ?? ''}: ${disruption.message ?? ''})`;
  switch (state.kind) {
    case 'leaving':
      return `its Pod is being deleted${because}`;
    case 'ended':
      return `its Pod has ended (${state.problem.reason}): ${state.problem.explanation}${because}`;
    case 'starting':
    case 'running':
      return undefined;
  }
}

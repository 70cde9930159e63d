import type { V1ContainerState, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { CONTAINER } from './pod-spec.ts';

/** What is the matter with a Pod, in the cluster's words. */
export interface PodProblem {
  readonly reason: string;
  readonly explanation: string;
}

export type PodState =
  | { readonly kind: 'running' }
  /** Its container is not there yet. With a problem where the cluster tells of one, which may pass. */
  | { readonly kind: 'starting'; readonly problem?: PodProblem | undefined; readonly isHopeless: boolean }
  /** It runs no more, and will not again. */
  | { readonly kind: 'ended'; readonly problem: PodProblem }
  /** Somebody has it removed. */
  | { readonly kind: 'leaving' };

/** What the kubelet waits for in vain. A container that it could not create or run may come up at its next try. */
const HOPELESS: ReadonlySet<string> = new Set(['InvalidImageName', 'ErrImageNeverPull', 'CreateContainerConfigError']);

/** What it waits for while all is well. */
const USUAL: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

const PULLS: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);

/** A registry that says so says so again. One that does not answer may answer a moment later. */
const NO_SUCH_IMAGE =
  /not found|manifest unknown|name unknown|unauthorized|authentication required|access denied|access to the resource is denied|forbidden|no match for platform/i;

function waitingOf({ state }: V1ContainerStatus): V1ContainerState['waiting'] {
  return state?.waiting;
}

/** What a Pod's status comes to. */
export function podState(pod: V1Pod): PodState {
  if (pod.metadata?.deletionTimestamp !== undefined) return { kind: 'leaving' };
  const { phase, conditions = [], containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const own = containerStatuses.find(({ name }) => name === CONTAINER);
  if (phase === 'Failed' || phase === 'Succeeded' || own?.state?.terminated !== undefined) {
    return { kind: 'ended', problem: endOf(pod, own) };
  }
  if (own?.state?.running !== undefined) return { kind: 'running' };
  const waiting = [...initContainerStatuses, ...containerStatuses].map(waitingOf);
  const stuck = waiting.find((one) => one?.reason !== undefined && !USUAL.has(one.reason));
  if (stuck?.reason !== undefined) {
    const { reason, message = 'it gives no explanation' } = stuck;
    const isHopeless = HOPELESS.has(reason) || (PULLS.has(reason) && NO_SUCH_IMAGE.test(message));
    return { kind: 'starting', problem: { reason, explanation: message }, isHopeless };
  }
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    const { reason = 'Unschedulable', message = 'it gives no explanation' } = scheduled;
    return { kind: 'starting', problem: { reason, explanation: message }, isHopeless: false };
  }
  return { kind: 'starting', isHopeless: false };
}

function endOf({ status }: V1Pod, own: V1ContainerStatus | undefined): PodProblem {
  const { terminated } = own?.state ?? {};
  // The Pod's own reason, such as an eviction, is behind that of its containers.
  const reason = status?.reason ?? terminated?.reason ?? status?.phase ?? 'Ended';
  const said = [status?.message, terminated?.message?.trim(), terminated && `its exit code is ${terminated.exitCode}`];
  const explanation = said.filter((one) => one !== undefined && one !== '').join('; ') || 'it gives no explanation';
  return { reason, explanation };
}

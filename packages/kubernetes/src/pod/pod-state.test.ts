import type { V1ContainerState, V1Pod, V1PodStatus } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { podState } from './pod-state.ts';

function podWith(status: V1PodStatus): V1Pod {
  return { metadata: { name: 'p' }, status };
}

function podIn(state: V1ContainerState, phase = 'Pending'): V1Pod {
  const status = { name: 'workspace', state, image: '', imageID: '', ready: false, restartCount: 0 };
  return podWith({ phase, containerStatuses: [status] });
}

describe('podState', () => {
  it('tells one that runs from one that is on its way, has ended, or is being removed', () => {
    expect(podState(podIn({ running: {} }, 'Running'))).toStrictEqual({ kind: 'running' });
    expect(podState(podWith({ phase: 'Pending' }))).toStrictEqual({ kind: 'starting', isHopeless: false });
    expect(podState(podIn({ waiting: { reason: 'ContainerCreating' } }))).toStrictEqual({
      kind: 'starting',
      isHopeless: false,
    });
    const leaving = podIn({ running: {} });
    leaving.metadata = { deletionTimestamp: new Date() };
    expect(podState(leaving)).toStrictEqual({ kind: 'leaving' });
  });

  it.each([
    ['InvalidImageName', 'x', true],
    ['ErrImageNeverPull', 'x', true],
    ['CreateContainerConfigError', 'secret "s" not found', true],
    ['ErrImagePull', 'failed to pull: docker.io/library/none:latest: not found', true],
    ['ImagePullBackOff', 'Back-off pulling image: unexpected status: 401 Unauthorized', true],
    ['ErrImagePull', 'dial tcp: lookup registry.example.com: i/o timeout', false],
    ['ImagePullBackOff', 'Back-off pulling image "x"', false],
    ['CreateContainerError', 'context deadline exceeded', false],
    ['RunContainerError', 'context deadline exceeded', false],
  ])('takes %s (%s) for hopeless: %s', (reason, message, isHopeless) => {
    expect(podState(podIn({ waiting: { reason, message } }))).toStrictEqual({
      kind: 'starting',
      isHopeless,
      problem: { reason, explanation: message },
    });
  });

  it('tells why one is not scheduled, which may pass', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }];
    expect(podState(podWith({ phase: 'Pending', conditions }))).toStrictEqual({
      kind: 'starting',
      isHopeless: false,
      problem: { reason: 'Unschedulable', explanation: '0/1 nodes' },
    });
  });

  it('tells why one has ended', () => {
    expect(podState(podIn({ terminated: { exitCode: 137, reason: 'OOMKilled' } }, 'Failed'))).toStrictEqual({
      kind: 'ended',
      problem: { reason: 'OOMKilled', explanation: 'its exit code is 137' },
    });
    const evicted = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };
    expect(podState(podWith(evicted))).toStrictEqual({
      kind: 'ended',
      problem: { reason: 'Evicted', explanation: 'The node was low on resource: memory.' },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { type ClusterStatus, formatStatus, isReady } from './status.ts';

const parts: ClusterStatus['parts'] = {
  containerd: 1,
  etcd: 2,
  'kube-apiserver': 3,
  'kube-controller-manager': 4,
  'kube-scheduler': 5,
  kubelet: 6,
  volumes: 7,
};

describe('isReady', () => {
  it('takes every part and the node', () => {
    expect(isReady({ parts, node: 'ready' })).toBe(true);
    expect(isReady({ parts, node: 'not ready' })).toBe(false);
    expect(isReady({ parts: { ...parts, kubelet: undefined }, node: 'ready' })).toBe(false);
  });
});

describe('formatStatus', () => {
  it('has a line for each', () => {
    const lines = formatStatus({ parts: { ...parts, kubelet: undefined }, node: 'unknown' }).split('\n');
    expect(lines).toHaveLength(8);
    expect(lines[0]).toMatch(/^containerd +runs \(1\)$/);
    expect(lines[5]).toMatch(/^kubelet +does not run$/);
    expect(lines[7]).toMatch(/^node +unknown$/);
  });
});

import { describe, expect, it } from 'vitest';
import { clusterFolder } from './cluster-folder.ts';

describe('clusterFolder', () => {
  it('keeps what runs apart from what is built', () => {
    const folder = clusterFolder('/somewhere/cluster');
    expect(folder.kubeconfig).toBe('/somewhere/cluster/run/kubeconfig');
    expect(folder.stateFile).toBe('/somewhere/cluster/run/state.json');
    expect(folder.binDirectory).toBe('/somewhere/cluster/bin');
  });

  it('names a network interface, the same for the same folder', () => {
    const { name } = clusterFolder('/somewhere/cluster');
    expect(name).toMatch(/^aw-[0-9a-f]{8}$/);
    expect(clusterFolder('/somewhere/cluster').name).toBe(name);
    expect(clusterFolder('/elsewhere/cluster').name).not.toBe(name);
  });

  it('refuses a path in which no socket can be', () => {
    expect(() => clusterFolder(`/${'a'.repeat(90)}`)).toThrow('WORKSPACE_CLUSTER_DIR');
  });
});

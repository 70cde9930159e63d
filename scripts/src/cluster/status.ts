import { addressesOfSlot } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { readState } from './cluster-state.ts';
import { isNodeReady } from './health.ts';
import { findParts, PART_NAMES, type PartName } from './parts.ts';

export interface ClusterStatus {
  /** For each part its process id, if it runs. */
  readonly parts: Readonly<Record<PartName, number | undefined>>;
  readonly node: 'ready' | 'not ready' | 'unknown';
}

/** How a cluster is. Nothing is waited for. */
export async function readStatus(folder: ClusterFolder): Promise<ClusterStatus> {
  const [state, parts] = await Promise.all([readState(folder), findParts(folder)]);
  const pids = Object.fromEntries(PART_NAMES.map((part) => [part, parts.get(part)?.pid]));
  return {
    parts: pids as Record<PartName, number | undefined>,
    node: state === undefined ? 'unknown' : await nodeState(folder, addressesOfSlot(state.slot).apiServerPort),
  };
}

async function nodeState(folder: ClusterFolder, port: number): Promise<ClusterStatus['node']> {
  try {
    return (await isNodeReady(folder, port)) ? 'ready' : 'not ready';
  } catch {
    return 'unknown';
  }
}

/** Whether Pods can run. */
export function isReady({ parts, node }: ClusterStatus): boolean {
  return node === 'ready' && Object.values(parts).every((pid) => pid !== undefined);
}

/** A line for each part, and one for the node. */
export function formatStatus({ parts, node }: ClusterStatus): string {
  const lines = Object.entries(parts).map(([part, pid]) => [
    part,
    pid === undefined ? 'does not run' : `runs (${pid})`,
  ]);
  return [...lines, ['node', node]].map(([what = '', how = '']) => `${what.padEnd(24)} ${how}`).join('\n');
}

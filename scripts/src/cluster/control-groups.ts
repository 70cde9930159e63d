import { mkdir, readdir, readFile, realpath, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterFolder } from './cluster-folder.ts';
import { waitUntil } from './wait-until.ts';

const ROOT = '/sys/fs/cgroup';
/** What a kubelet asks of the control group it is given, where there is one hierarchy for all controllers. */
const CONTROLLERS: readonly string[] = ['cpu', 'cpuset', 'memory', 'pids', 'io', 'hugetlb'];

/** One folder on systems with one hierarchy, one for each controller on others. */
async function hierarchies(): Promise<readonly string[]> {
  const names = await readdir(ROOT);
  if (names.includes('cgroup.controllers')) return [ROOT];
  return [...new Set(await Promise.all(names.map((name) => realpath(join(ROOT, name)))))];
}

/** Makes the control group that those of all Pods are in. */
export async function createControlGroup({ name }: ClusterFolder): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    const group = join(hierarchy, name);
    await mkdir(group, { recursive: true });
    if (hierarchy === ROOT) {
      const available = (await readFile(join(ROOT, 'cgroup.controllers'), 'utf8')).trim().split(' ');
      const enabled = CONTROLLERS.filter((controller) => available.includes(controller));
      for (const controller of enabled) await writeFile(join(ROOT, 'cgroup.subtree_control'), `+${controller}`);
    }
    // A group of this controller takes no process until it is told what its processes may use.
    for (const file of (await readdir(group)).filter((entry) => /^cpuset\.(cpus|mems)$/.test(entry)))
      if (hierarchy !== ROOT) await writeFile(join(group, file), await readFile(join(hierarchy, file)));
  }
}

/** Removes it with those in it; what still runs in one is killed. */
export async function removeControlGroup({ name }: ClusterFolder): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    await waitUntil(`the control group ${join(hierarchy, name)} is gone`, 10_000, async () => {
      await removeTree(join(hierarchy, name));
      return true;
    });
  }
}

async function removeTree(group: string): Promise<void> {
  const entries = await readdir(group, { withFileTypes: true }).catch(ignoreMissing);
  if (entries === undefined) return;
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(group, entry.name));
  const pids = (await readFile(join(group, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean);
  for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
  await rmdir(group).catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

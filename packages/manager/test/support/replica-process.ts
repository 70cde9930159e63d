import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ReplicaReport, ReplicaSettings } from '../fixtures/replica.ts';

/** Starts a replica in a process of its own. @param processes takes it, to be ended in any case */
export async function startReplica(settings: ReplicaSettings, processes: ChildProcess[]): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../fixtures/replica.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(settings)]);
  processes.push(child);
  await messageOf(child);
  return child;
}

/** Has it end by itself. @returns what it has seen */
export async function stopReplica(child: ChildProcess): Promise<ReplicaReport> {
  const exit = once(child, 'exit');
  child.send('stop');
  const report = (await messageOf(child)) as ReplicaReport;
  await exit;
  return report;
}

/** How many lines of each tenant were acknowledged, also by replicas that were killed. */
export async function countAcknowledged(path: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const tenant of (await readFile(path, 'utf8')).split('\n')) {
    if (tenant !== '') counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }
  return counts;
}

/** What a process says next. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code, signal]): never => {
    throw new Error(`A replica ended by itself: ${code ?? signal}.`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}

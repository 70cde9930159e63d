import { type LockOwner, readProcessNow } from '@agent-workspace/core';
import { isRunning } from './is-running.ts';
import { machineId } from './machine.ts';

const OWNER = /^(?<machine>.+):(?<pid>\d+):(?<startTime>\d+)$/;

/** This process as the owner of a lock; `undefined` where a process cannot be told from a later one of its pid. */
export function localLockOwner(): LockOwner | undefined {
  const machine = machineId();
  const self = readProcessNow(process.pid);
  if (machine === undefined || self === undefined) return undefined;
  return {
    id: `${machine}:${self.pid}:${self.startTime}`,
    async isAlive(id) {
      const owner = OWNER.exec(id)?.groups;
      if (owner?.['machine'] !== machine) return undefined;
      return isRunning(Number(owner['pid']), owner['startTime']);
    },
  };
}

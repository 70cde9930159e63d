import { createHash, randomBytes } from 'node:crypto';
import { readProcessNow } from '@agent-workspace/core';
import { machineId } from '../processes/machine.ts';

const PREFIX = '.aw-tmp-';
const OWNED = /^\.aw-tmp-(?<machine>[0-9a-f]+)-(?<pid>[1-9]\d{0,8})-(?<startTime>\d+)-[0-9a-f]+$/;
const MACHINE_DIGITS = 12;
const RANDOM_BYTES = 8;
/** In the place of the machine and the start time, where the system does not tell them. */
export const UNKNOWN = '0';

/** The process that made a temporary file or directory. */
export interface TemporaryOwner {
  /** Hash of what the pid and the start time are unique in, or `UNKNOWN`. */
  readonly machine: string;
  readonly pid: number;
  readonly startTime: string;
}

let self: TemporaryOwner | undefined;

/** This process. */
export function temporaryOwner(): TemporaryOwner {
  self ??= readSelf();
  return self;
}

function readSelf(): TemporaryOwner {
  const { pid } = process;
  const machine = machineId();
  const startTime = readProcessNow(pid)?.startTime;
  if (machine === undefined || startTime === undefined) return { machine: UNKNOWN, pid, startTime: UNKNOWN };
  const hash = createHash('sha256').update(machine, 'utf8').digest('hex');
  return { machine: hash.slice(0, MACHINE_DIGITS), pid, startTime };
}

/** For a file or directory that is not ready yet, beside the one that it is going to be. It says whose it is. */
export function temporaryName(): string {
  const { machine, pid, startTime } = temporaryOwner();
  return `${PREFIX}${machine}-${pid}-${startTime}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/**
 * For what makes room for something new and may have to come back. It is no one's to clear up: should
 * we die before the new one is in place, it is all that there is.
 */
export function asideName(): string {
  return `${PREFIX}aside-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** Whether an entry is unfinished work, of a writer at work or of one that was killed. Lists leave it out. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Who made an entry; `undefined` for what does not have a name by `temporaryName`. */
export function ownerOf(name: string): TemporaryOwner | undefined {
  const { machine, pid, startTime } = OWNED.exec(name)?.groups ?? {};
  if (machine === undefined || pid === undefined || startTime === undefined) return undefined;
  return { machine, pid: Number(pid), startTime };
}

import { join } from 'node:path';

/** What `{n}.json` says of a background command. Written by its starter and its runner, read by whoever comes later. */
export interface BackgroundRecord {
  readonly number: number;
  readonly label: string;
  readonly argv: readonly string[];
  readonly startedAt: string;
  /** `null` without a limit. */
  readonly timeoutMs: number | null;
  /** The `LockOwner.id` of the process that started it; empty where the system does not tell. */
  readonly owner: string;
  /** What the pids belong to; empty where the system does not tell. */
  readonly machine: string;
  readonly pid: number;
  readonly processGroup: number;
  readonly startTime: string;
  readonly runnerPid: number;
  readonly runnerStartTime: string;
}

/** The part that is known before the command has a process. */
export type RecordHead = Omit<BackgroundRecord, 'pid' | 'processGroup' | 'startTime' | 'runnerPid' | 'runnerStartTime'>;

export interface RecordPaths {
  /** The others are this and an ending. */
  readonly base: string;
  /** Standard output and error, as they came. Made exclusively: it is what takes the number. */
  readonly log: string;
  /** The record while it is made. */
  readonly draft: string;
  readonly record: string;
  /** Why the command is being ended, if not by itself. */
  readonly cause: string;
  /** What the shell says, then the status before it is renamed. */
  readonly ending: string;
  readonly status: string;
}

export function recordPaths(directory: string, number: number): RecordPaths {
  const base = join(directory, String(number));
  return {
    base,
    log: `${base}.log`,
    draft: `${base}.new`,
    record: `${base}.json`,
    cause: `${base}.cause`,
    ending: `${base}.ending`,
    status: `${base}.status`,
  };
}

const NUMBERED = /^(?<number>[1-9]\d{0,8})\.(?<ending>[a-z]+)$/;

/** What a file in a record directory belongs to; `undefined` if it is none of ours. */
export function parseRecordName(name: string): { readonly number: number; readonly isRecord: boolean } | undefined {
  const parts = NUMBERED.exec(name)?.groups;
  return parts && { number: Number(parts['number']), isRecord: parts['ending'] === 'json' };
}

/** The draft: an object that is still open, to which the runner adds the processes. */
export function draftRecord(head: RecordHead): string {
  return `${JSON.stringify(head).slice(0, -1)},`;
}

/** A pid that a signal may be sent to: 0 and 1 would mean whole groups of others. */
function isPid(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 1;
}

/** `undefined` if the text is no record: an agent can write there, too. */
export function parseRecord(text: string, number: number): BackgroundRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Record<keyof BackgroundRecord, unknown>;
  const texts = [
    record.label,
    record.startedAt,
    record.owner,
    record.machine,
    record.startTime,
    record.runnerStartTime,
  ];
  const isRecord =
    record.number === number &&
    texts.every((each) => typeof each === 'string') &&
    [record.pid, record.processGroup, record.runnerPid].every(isPid) &&
    record.pid === record.processGroup;
  return isRecord ? (record as BackgroundRecord) : undefined;
}

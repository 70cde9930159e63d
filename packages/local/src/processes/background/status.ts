import type { BackgroundState } from '@agent-workspace/core';

const STATUS = /^(?:(?<closed>closed)|(?<timedOut>timed-out)|exited (?<exitCode>\d+)|signaled (?<signal>[A-Z0-9+-]+))$/;

/** What a status or cause file says; `undefined` if it is neither. */
export function parseStatus(text: string): BackgroundState | undefined {
  const found = STATUS.exec(text.trim())?.groups;
  if (found === undefined) return undefined;
  if (found['closed'] !== undefined) return { kind: 'closed' };
  if (found['timedOut'] !== undefined) return { kind: 'timed-out' };
  if (found['signal'] !== undefined) return { kind: 'signaled', signal: found['signal'] };
  return { kind: 'exited', exitCode: Number(found['exitCode']) };
}

import type { Logger } from '@agent-workspace/core';
import type { Io } from '../io.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

type Level = (typeof LEVELS)[number];

/** A line on stderr for each message of this level or above. */
export function stderrLogger(io: Pick<Io, 'say'>, lowest: Level): Logger {
  const log =
    (level: Level) =>
    (message: string, details?: Readonly<Record<string, unknown>>): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(lowest)) return;
      const shown = details === undefined ? '' : ` ${JSON.stringify(details, toText)}`;
      io.say(`[${level}] ${message}${shown}\n`);
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function toText(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}

import type { Logger } from '@agent-workspace/core';

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

/** A logger that keeps what it is told. */
export function recordLog(): { readonly logger: Logger; readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  const at =
    (level: LogEntry['level']): Logger['info'] =>
    (message, details) => {
      entries.push({ level, message, details });
    };
  return { entries, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

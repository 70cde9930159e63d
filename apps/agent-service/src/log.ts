import { type Logger, WorkspaceError } from '@agent-workspace/core';

/** One JSON line an entry on stderr. Callers give it no headers, bodies or queries, where secrets are. */
export const stderrLogger: Logger = {
  debug: () => undefined,
  info: (message, details) => write('info', message, details),
  warn: (message, details) => write('warn', message, details),
  error: (message, details) => write('error', message, details),
};

function write(level: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
  const entry = { time: new Date().toISOString(), level, message, ...details };
  process.stderr.write(`${JSON.stringify(entry, (_key, value: unknown) => shown(value))}\n`);
}

function shown(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  if (WorkspaceError.isInstance(value)) return { name, code: value.code, message, cause };
  return { name, message, stack, cause };
}

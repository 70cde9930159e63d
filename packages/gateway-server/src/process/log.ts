import { Console } from 'node:console';
import { type Logger, WorkspaceError } from '@agent-workspace/core';

/** An error as its stack tells it, with its causes; JSON alone would show nothing of it. */
function toPlain(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { cause } = value;
  return {
    ...(WorkspaceError.isInstance(value) && { code: value.code, details: value.details }),
    stack: value.stack ?? value.message,
    ...(cause !== undefined && { cause }),
  };
}

/** One JSON line on stderr for each entry that is worth keeping: `debug` is left out. */
export function stderrLogger(): Logger {
  const write = (level: string, message: string, details: Readonly<Record<string, unknown>> = {}): void => {
    const time = new Date().toISOString();
    let line: string;
    try {
      line = JSON.stringify({ time, level, message, ...details }, toPlain);
    } catch {
      // Details that hold themselves.
      line = JSON.stringify({ time, level, message });
    }
    process.stderr.write(`${line}\n`);
  };
  return {
    debug: () => undefined,
    info: (message, details) => write('info', message, details),
    warn: (message, details) => write('warn', message, details),
    error: (message, details) => write('error', message, details),
  };
}

/**
 * Keeps stdout for the one line that says that the gateway is ready, and survives readers of
 * either stream that go away.
 */
export function guardStandardStreams(): void {
  globalThis.console = new Console(process.stderr, process.stderr);
  // There is nowhere left to report it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

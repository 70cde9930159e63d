import type { ExecOptions, ExecResult, Logger, OutputChunk } from '@agent-workspace/core';
import type { Command } from './command.ts';
import { OutputCapture } from './output-capture.ts';
import { OutputPump } from './output-pump.ts';

const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;

type RunOptions = Pick<ExecOptions, 'stdin' | 'maxOutputBytes' | 'onOutput'> & {
  /** `performance.now()` when the command was asked for. */
  readonly startedAt: number;
  readonly logger: Logger;
};

/** The result of a command that was aborted before it began. */
export function resultWithoutStart(): ExecResult {
  const nothing = new OutputCapture(0).result();
  return { end: { kind: 'aborted' }, stdout: nothing, stderr: nothing, durationMs: 0 };
}

/** A listener's exception is its own affair, and not the command's. */
function guard(listener: ExecOptions['onOutput'], logger: Logger): (chunk: OutputChunk) => Promise<void> | undefined {
  let isReported = false;
  const report = (error: unknown): void => {
    if (!isReported) logger.warn('A listener of command output threw.', { error });
    isReported = true;
  };
  return (chunk) => {
    try {
      const handled = listener?.(chunk);
      return handled instanceof Promise ? handled.catch(report) : undefined;
    } catch (error) {
      report(error);
      return undefined;
    }
  };
}

/** Follows a command that has just been started to its end, with its output. */
export async function runCommand(command: Command, options: RunOptions): Promise<ExecResult> {
  const { stdin, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES, startedAt, logger } = options;
  const tell = guard(options.onOutput, logger);
  const { streams } = command;
  const captures = { stdout: new OutputCapture(maxOutputBytes), stderr: new OutputCapture(maxOutputBytes) };
  const pump = new OutputPump(
    (['stdout', 'stderr'] as const).flatMap((stream) => {
      const readable = streams[stream];
      if (readable === null) return [];
      const sink = (bytes: Uint8Array): Promise<void> | undefined => {
        captures[stream].write(bytes);
        return tell({ stream, bytes });
      };
      return [{ stream: readable, sink }];
    }),
  );
  // A command need not read what it is given: a closed pipe is no failure.
  streams.stdin?.on('error', (error) => logger.debug(`Process ${command.pid} did not read its stdin.`, { error }));
  streams.stdin?.end(stdin);

  const end = await command.ended();
  await pump.drain();
  if (end.kind === 'exited' || end.kind === 'signaled') pump.leaveOpen();
  else pump.destroy();
  return {
    end,
    stdout: captures.stdout.result(),
    stderr: captures.stderr.result(),
    durationMs: performance.now() - startedAt,
  };
}

import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { PipePool } from './pipe-pool.ts';
import { type StartedChild, startChild } from './start-child.ts';
import type { CommandPlace } from './start-failure.ts';

/** This process's ends of the streams of a command. */
export type CommandStreams = Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>;

export interface StartedCommand extends StartedChild {
  readonly streams: CommandStreams;
}

export interface StreamsOptions {
  readonly stdin: 'ignore' | 'pipe';
  readonly pipes: PipePool;
}

/**
 * Starts a program with streams that it can open by name, such as `/dev/stderr`.
 *
 * @throws `exec-failed`
 */
export async function startWithStreams(options: CommandPlace & StreamsOptions): Promise<StartedCommand> {
  const { pipes } = options;
  const [stdout, stderr, stdin] = await pipes.take(options.stdin === 'pipe' ? 3 : 2);
  if (stdout === undefined || stderr === undefined) {
    const started = await startChild({ ...options, stdio: [options.stdin, 'pipe', 'pipe'] });
    return { ...started, streams: started.child };
  }
  const streams = {
    stdin: stdin === undefined ? null : new Socket({ fd: stdin.writeEnd, readable: false, writable: true }),
    stdout: pipes.openReader(stdout),
    stderr: pipes.openReader(stderr),
  };
  try {
    const stdio = [stdin?.readEnd ?? options.stdin, stdout.writeEnd, stderr.writeEnd];
    return { ...(await startChild({ ...options, stdio })), streams };
  } catch (error) {
    streams.stdin?.destroy();
    // With nobody to write to them they are at their end at once, and can be used again.
    streams.stdout.resume();
    streams.stderr.resume();
    throw error;
  } finally {
    // Only the child has them now, so that the end of its output can be seen here.
    for (const end of [stdin?.readEnd, stdout.writeEnd, stderr.writeEnd]) if (end !== undefined) closeSync(end);
  }
}

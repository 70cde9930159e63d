import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ProcessExit } from './exit-status.ts';
import type { Pipe, PipePool } from './pipes.ts';
import type { Spawned, SpawnedInput, SpawnOptions } from './spawned.ts';
import { writeAll } from './write-all.ts';

const MAX_CHUNK_BYTES = 32 * 1024;

interface Streams {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

async function startChild(
  options: SpawnOptions,
  stdio: readonly ('ignore' | 'pipe' | number)[],
): Promise<ChildProcess> {
  const { file, args, cwd, env, uid, gid } = options;
  const owner = { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
  // In a group of its own: what it does to its group does not reach envd.
  const child = spawn(file, args, { cwd, env, ...owner, stdio: [...stdio], detached: true });
  if (child.pid !== undefined) return child;
  const [error] = (await once(child, 'error')) as [Error];
  throw error;
}

/** Streams of pipes, and their other ends for the child. */
function openStreams(stdout: Pipe, stderr: Pipe, stdin: Pipe | undefined): Streams {
  return {
    stdout: new Socket({ fd: stdout.readEnd, readable: true, writable: false }),
    stderr: new Socket({ fd: stderr.readEnd, readable: true, writable: false }),
    stdin: stdin && new Socket({ fd: stdin.writeEnd, readable: false, writable: true }),
  };
}

async function startWithPipes(options: SpawnOptions, pipes: readonly Pipe[]): Promise<[ChildProcess, Streams]> {
  const [stdout, stderr, stdin] = pipes;
  if (stdout === undefined || stderr === undefined) throw new RangeError('A command has two outputs.');
  const streams = openStreams(stdout, stderr, stdin);
  try {
    return [await startChild(options, [stdin?.readEnd ?? 'ignore', stdout.writeEnd, stderr.writeEnd]), streams];
  } catch (error) {
    for (const stream of [streams.stdin, streams.stdout, streams.stderr]) stream?.destroy();
    throw error;
  } finally {
    // Only the child has them now, so that the end of its output can be seen here.
    for (const end of [stdin?.readEnd, stdout.writeEnd, stderr.writeEnd]) if (end !== undefined) closeSync(end);
  }
}

async function startWithSockets(options: SpawnOptions, hasStdin: boolean): Promise<[ChildProcess, Streams]> {
  const child = await startChild(options, [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe']);
  const { stdin, stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new TypeError('A command has two outputs.');
  return [child, { stdin: stdin ?? undefined, stdout, stderr }];
}

function toInput(stdin: Writable | undefined): SpawnedInput {
  if (stdin === undefined) return { kind: 'none' };
  // A command that does not read, or has ended: the write that fails says so to its caller.
  stdin.on('error', () => undefined);
  return {
    kind: 'stdin',
    write: (bytes) => writeAll(stdin, bytes),
    close: () => new Promise((resolve) => void stdin.end(resolve)),
  };
}

export interface SpawnCommandOptions extends SpawnOptions {
  /** Without it the command reads from `/dev/null`. */
  readonly hasStdin: boolean;
  readonly pipes: PipePool;
}

/** Starts a command with pipes for its streams. Rejects with the system's error if it cannot be started. */
export async function spawnCommand(options: SpawnCommandOptions): Promise<Spawned> {
  const { hasStdin } = options;
  const pipes = await options.pipes.take(hasStdin ? 3 : 2);
  const started = pipes.length > 0 ? startWithPipes(options, pipes) : startWithSockets(options, hasStdin);
  const [child, { stdin, stdout, stderr }] = await started;
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? 0,
    exited,
    input: toInput(stdin),
    release: () => {
      for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    },
    outputs: [
      { name: 'stdout', stream: stdout, maxChunkBytes: MAX_CHUNK_BYTES },
      { name: 'stderr', stream: stderr, maxChunkBytes: MAX_CHUNK_BYTES },
    ],
  };
}

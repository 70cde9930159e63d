import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { DockerEngine } from '../engine/docker-engine.ts';

export interface RunCommandOptions {
  /** Written to stdin, which is then closed. */
  readonly stdin?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RunCommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** Its end. */
  readonly stderr: string;
}

/** The engine notes an exit a moment after it has closed the stream. */
const LOOK_MS = 5;

/** Runs a short command in a container, to its end. @throws `docker-request-failed`, and the signal's reason */
export async function runCommand(
  engine: DockerEngine,
  containerId: string,
  argv: readonly string[],
  { stdin = '', signal }: RunCommandOptions = {},
): Promise<RunCommandResult> {
  const stream = await engine.containers.exec(containerId, argv, { signal });
  const abort = (): void => void stream.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    stream.end(stdin);
    const stdout = await buffer(stream);
    for (;;) {
      const exitCode = await engine.containers.execExitCode(stream.execId, { signal });
      if (exitCode !== undefined) return { exitCode, stdout: stdout.toString('utf8'), stderr: stream.stderr };
      await setTimeout(LOOK_MS);
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    stream.destroy();
  }
}

import { DockerRequestFailedError } from '@agent-workspace/core';
import type { SandboxCommand } from '@agent-workspace/gateway-client';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { ExecStream } from '../engine/exec-stream.ts';
import type { RunCommandResult } from './run-command.ts';

/** Ends the command's output, with its exit code. */
const MARK = 'agent-workspace-first-command';

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Runs the command, tells its end, and lives on. `printf` is the shell's own, so that no arguments show its stdin. */
function script({ argv, stdin }: SandboxCommand): string {
  return `printf %s ${quote(stdin)} | ${argv.map(quote).join(' ')}\necho "${MARK} $?"\nexec sleep infinity\n`;
}

/** It is a few lines; the rest is some other program's. */
const MAX_OUTPUT_CHARACTERS = 64 * 1024;

/**
 * The first command of a container: it runs as soon as the container does, whose shell reads it from the
 * container's own stdin. So it costs no exec, which takes the engine longer than a process takes to start.
 */
export class FirstCommand {
  readonly #stream: ExecStream;
  readonly #result: Promise<RunCommandResult>;

  /** Attaches to a container that is not started yet. */
  static async attach(
    engine: DockerEngine,
    containerId: string,
    command: SandboxCommand,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<FirstCommand> {
    const stream = await engine.containers.attach(containerId, { signal });
    stream.write(script(command));
    return new FirstCommand(stream, signal);
  }

  private constructor(stream: ExecStream, signal: AbortSignal | undefined) {
    this.#stream = stream;
    this.#result = readToMark(stream, signal);
    // Whoever is interested in it asks for it; a container that does not start has another fault to tell.
    this.#result.catch(() => undefined);
  }

  /** What it said, up to its end. Rejects if the container ends first, and with the signal's reason. */
  result(): Promise<RunCommandResult> {
    return this.#result;
  }

  /** Lets go of the container, which lives on. */
  close(): void {
    this.#stream.destroy();
  }
}

async function readToMark(stream: ExecStream, signal: AbortSignal | undefined): Promise<RunCommandResult> {
  const abort = (): void => void stream.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  let output = '';
  try {
    signal?.throwIfAborted();
    for await (const chunk of stream) {
      output = (output + String(chunk)).slice(-MAX_OUTPUT_CHARACTERS);
      const end = new RegExp(`^${MARK} (\\d+)$`, 'm').exec(output);
      if (end !== null) {
        return { exitCode: Number(end[1]), stdout: output.slice(0, end.index), stderr: stream.stderr };
      }
    }
    const reason = 'the container ended before the command did';
    throw new DockerRequestFailedError({ operation: 'run the first command of the container', reason });
  } finally {
    signal?.removeEventListener('abort', abort);
    stream.destroy();
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Logger } from '@agent-workspace/core';

/** A shell that has not made its pipes by then does not make them. */
const DEADLINE_MS = 2_000;

/**
 * Keeps the pipe that is its stdin as descriptor 4, tells its pid, and stays until its starter hangs
 * up. All of it is built in, so one program is started and the rest are forks.
 */
const HOLD = 'hold() { exec 4<&0; read -r pid rest </proc/self/stat; echo "$pid" >&3; read -r end <&3; }';

/** Descriptors of this process, closed in every program that it starts. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

export interface MakePipesOptions {
  readonly count: number;
  /** A POSIX shell. */
  readonly shell: string;
  readonly logger: Logger;
}

/** Opens both ends of what another process has as descriptor 4. */
function openPipe(pid: string): Pipe {
  const path = `/proc/${pid}/fd/4`;
  const readEnd = openSync(path, constants.O_RDONLY);
  try {
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}

async function readLines(line: Socket, count: number): Promise<readonly string[]> {
  let text = '';
  for await (const bytes of line.iterator({ destroyOnReturn: false })) {
    text += String(bytes);
    if (text.split('\n').length > count) break;
  }
  return text.split('\n').slice(0, -1);
}

/**
 * Makes pipes, which Node cannot: a shell makes them for a pipeline, and they are opened from there.
 *
 * A FIFO would not do: a process that opens `/dev/stdin` on one waits forever once its writer is done.
 *
 * @returns less than `count` where the system or the shell does not let it; the logger says why.
 */
export async function makePipes({ count, shell, logger }: MakePipesOptions): Promise<readonly Pipe[]> {
  const pipes: Pipe[] = [];
  try {
    const helper = spawn(shell, ['-c', `${HOLD}\n: ${'| hold '.repeat(count)}`], {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    helper.on('error', (error) =>
      logger.warn(`Could not start ${shell} to make pipes: commands cannot open /dev/stderr by name.`, { error }),
    );
    // There is none if this process has no descriptor left.
    const line: unknown = helper.stdio?.[3];
    if (!(line instanceof Socket)) return pipes;
    helper.once('exit', () => line.destroy());
    try {
      for (const pid of await readLines(line, count)) pipes.push(openPipe(pid));
    } finally {
      line.destroy();
    }
    // From then on nobody else has them.
    if (helper.exitCode === null && helper.signalCode === null) await once(helper, 'exit');
  } catch (error) {
    logger.warn(`Could not open pipes that ${shell} made: commands cannot open /dev/stderr by name.`, { error });
  }
  return pipes;
}

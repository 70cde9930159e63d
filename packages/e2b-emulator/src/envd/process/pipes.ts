import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';

/** For both outputs and the input of some commands: the start of a shell costs as much as several pipes. */
const BATCH = 12;
const DEADLINE_MS = 2_000;

/** Where none were made so often, there are none to be had. */
const MAX_FAILURES = 3;

/** Descriptors of this process, closed in every program that it starts. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Keeps the pipe that is its stdin as descriptor 4, tells its pid, and stays until its starter hangs up. */
const HOLD = 'hold() { exec 4<&0; read -r pid rest </proc/self/stat; echo "$pid" >&3; read -r end <&3; }';

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

async function readPids(line: Socket): Promise<readonly string[]> {
  let text = '';
  for await (const chunk of line.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.split('\n').length > BATCH) break;
  }
  return text.split('\n').slice(0, -1);
}

/** A shell makes the pipes of a pipeline, and they are opened from there: Node itself cannot make any. */
async function makePipes(): Promise<readonly Pipe[]> {
  const helper: ChildProcess = spawn('/bin/sh', ['-c', `${HOLD}\n: ${'| hold '.repeat(BATCH)}`], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<void>((resolve) => {
    helper.once('error', (error) => {
      process.stderr.write(`envd: no pipes, so commands cannot open /dev/stderr by name: ${error.message}\n`);
      resolve();
    });
    helper.once('exit', () => resolve());
  });
  const line: unknown = helper.stdio[3];
  if (!(line instanceof Socket)) return [];
  void ended.then(() => line.destroy());
  const pipes: Pipe[] = [];
  try {
    for (const pid of await readPids(line)) pipes.push(openPipe(pid));
  } catch (error) {
    process.stderr.write(`envd: could not open pipes: ${String(error)}\n`);
  } finally {
    line.destroy();
  }
  // From then on nobody else has them.
  await ended;
  return pipes;
}

/**
 * Pipes for the streams of commands, as the real envd gives them. What Node gives is a socket, which Linux
 * does not let a command open by name: `echo x >/dev/stderr` would fail.
 */
export class PipePool {
  readonly #idle: Pipe[] = [];
  #filling: Promise<void> | undefined;
  #failures = 0;
  #isAble = process.platform === 'linux';

  /** Makes some before anybody asks. */
  prepare(): void {
    if (this.#isAble) void this.#fill();
  }

  /** So many pipes, or none where there are none to be had. */
  async take(count: number): Promise<readonly Pipe[]> {
    while (this.#isAble && this.#idle.length < count) await this.#fill();
    const pipes = this.#idle.length < count ? [] : this.#idle.splice(0, count);
    // Before the next command asks.
    if (this.#idle.length < BATCH / 2) this.prepare();
    return pipes;
  }

  async close(): Promise<void> {
    this.#isAble = false;
    await this.#filling;
    for (const { readEnd, writeEnd } of this.#idle.splice(0)) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
  }

  #fill(): Promise<void> {
    this.#filling ??= makePipes().then((pipes) => {
      this.#filling = undefined;
      this.#idle.push(...pipes);
      this.#failures = pipes.length === 0 ? this.#failures + 1 : 0;
      if (this.#failures >= MAX_FAILURES) this.#isAble = false;
    });
    return this.#filling;
  }
}

import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Logger, silentLogger } from '@agent-workspace/core';
import { isErrno } from '../files/translate-error.ts';
import { makePipes, type Pipe } from './make-pipes.ts';

/** All streams of one command. It is waited for. */
const FIRST_BATCH = 3;
/** Each batch is twice the one before, up to this: the start of a shell costs as much as five pipes. */
const MAX_BATCH = 16;
/** Of what a burst of commands leaves. */
const MAX_IDLE = 32;
/** Where none were ever made, no more are asked for after this. */
const MAX_FAILURES = 3;

export interface PipePoolOptions {
  /** A POSIX shell. Default `'/bin/sh'`. */
  readonly shell?: string | undefined;
  /** Silent by default. */
  readonly logger?: Logger | undefined;
}

/** Whether a command that had a pipe opened it for reading, as `/dev/stdout`: it would see the output of the next. */
function hasReader(writeEnd: number): boolean {
  try {
    writeSync(writeEnd, '\n');
    return true;
  } catch (error) {
    return !isErrno(error, 'EPIPE');
  }
}

/**
 * Pipes for the streams of commands. What Node itself gives a child is a socket, which Linux does
 * not let it open by name: `echo x >/dev/stderr` would fail. Elsewhere that works, and this is empty.
 */
export class PipePool {
  readonly #shell: string;
  readonly #logger: Logger;
  readonly #idle: Pipe[] = [];
  /** How many those who wait for pipes want. */
  #wanted = 0;
  #batch = FIRST_BATCH;
  #filling: Promise<boolean> | undefined;
  #failures = 0;
  #isAble = false;
  #isClosed = false;

  constructor({ shell = '/bin/sh', logger = silentLogger }: PipePoolOptions = {}) {
    this.#shell = shell;
    this.#logger = logger;
  }

  /** Hands over so many pipes, or none where there are none to be had. */
  async take(count: number): Promise<readonly Pipe[]> {
    this.#wanted += count;
    try {
      while (this.#idle.length < count) {
        if (!(await this.#fill())) return [];
      }
    } finally {
      this.#wanted -= count;
    }
    const pipes = this.#idle.splice(0, count);
    // Before the next command asks.
    if (this.#idle.length === 0) void this.#fill();
    return pipes;
  }

  /** Reads from a pipe that was taken. Once it has come to its end, it is used again. */
  openReader({ readEnd }: Pipe): Socket {
    const stream = new Socket({ fd: readEnd, readable: true, writable: false });
    stream.once('end', () => {
      try {
        const writeEnd = openSync(`/proc/self/fd/${readEnd}`, constants.O_WRONLY);
        stream.once('close', () => this.#takeBack(writeEnd));
      } catch (error) {
        this.#logger.debug('Could not keep a pipe for another command.', { error });
      }
    });
    return stream;
  }

  /** Closes what nobody has taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#filling;
    for (const { readEnd, writeEnd } of this.#idle.splice(0)) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
  }

  /** It is empty and nobody else can write to it; now the read end is closed as well. */
  #takeBack(writeEnd: number): void {
    try {
      if (!this.#isClosed && this.#idle.length < MAX_IDLE && !hasReader(writeEnd)) {
        this.#idle.push({ readEnd: openSync(`/proc/self/fd/${writeEnd}`, constants.O_RDONLY), writeEnd });
        return;
      }
    } catch (error) {
      this.#logger.debug('Could not keep a pipe for another command.', { error });
    }
    closeSync(writeEnd);
  }

  /** `false` if there was nothing to be had. */
  #fill(): Promise<boolean> {
    this.#filling ??= this.#make().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #make(): Promise<boolean> {
    if (process.platform !== 'linux' || this.#isClosed) return false;
    if (!this.#isAble && this.#failures >= MAX_FAILURES) return false;
    const count = Math.max(this.#batch, Math.min(MAX_BATCH, this.#wanted));
    this.#batch = Math.min(MAX_BATCH, this.#batch * 2);
    const pipes = await makePipes({ count, shell: this.#shell, logger: this.#logger });
    this.#idle.push(...pipes);
    if (pipes.length > 0) this.#isAble = true;
    else this.#failures += 1;
    return pipes.length > 0;
  }
}

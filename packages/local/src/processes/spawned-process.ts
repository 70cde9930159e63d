import type { Readable, Writable } from 'node:stream';
import type { BackendProcess, ProcessEnd, ProcessSignal } from '@agent-workspace/core';
import type { Command } from './command.ts';

/** What is read ahead of the consumer, as much as a pipe holds. */
const READ_AHEAD_BYTES = 64 * 1024;

/** A pipe as a web stream that ends when the pipe does, or when it is destroyed. */
function toReadableStream(pipe: Readable): ReadableStream<Uint8Array> {
  let isOpen = true;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        pipe.on('data', (bytes: Buffer) => {
          if (!isOpen) return;
          controller.enqueue(bytes);
          if ((controller.desiredSize ?? 0) <= 0) pipe.pause();
        });
        pipe.on('error', () => undefined);
        pipe.once('close', () => {
          if (isOpen) controller.close();
          isOpen = false;
        });
        pipe.pause();
      },
      pull() {
        pipe.resume();
      },
      cancel() {
        isOpen = false;
        pipe.destroy();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES }),
  );
}

function toWritableStream(pipe: Writable): WritableStream<Uint8Array> {
  return new WritableStream<Uint8Array>({
    start(controller) {
      pipe.on('error', (error) => controller.error(error));
    },
    write(bytes) {
      return new Promise((resolve, reject) => {
        const onClose = (): void => reject(new Error('The process has closed its stdin.'));
        pipe.once('close', onClose);
        pipe.write(bytes, (error) => {
          pipe.off('close', onClose);
          if (error) reject(error);
          else resolve();
        });
      });
    },
    // Not by what end() calls back, which is nothing where the process exits meanwhile.
    close() {
      return new Promise((resolve) => {
        if (pipe.closed) resolve();
        pipe.once('close', resolve);
        pipe.end(resolve);
      });
    },
    abort() {
      pipe.destroy();
    },
  });
}

function present<T>(pipe: T | null): T {
  if (pipe === null) throw new TypeError('A command with streams is started with three pipes.');
  return pipe;
}

/** A running command of this machine with its streams. */
export class SpawnedProcess implements BackendProcess {
  readonly pid: number;
  readonly processGroup: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly end: Promise<ProcessEnd>;
  readonly #command: Command;

  constructor(command: Command) {
    this.#command = command;
    this.pid = command.pid;
    this.processGroup = command.pid;
    this.stdin = toWritableStream(present(command.streams.stdin));
    this.stdout = toReadableStream(present(command.streams.stdout));
    this.stderr = toReadableStream(present(command.streams.stderr));
    this.end = command.exited;
  }

  kill(signal: ProcessSignal = 'SIGTERM'): Promise<void> {
    return this.#command.signal(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#command.terminate({ kind: 'aborted' });
    this.#command.closePipes();
  }
}

import type { Readable, Writable } from 'node:stream';
import { STOPPED } from './inside.ts';

const STOP_DEADLINE_MS = 10_000;

/** The first process of a root, see `initScript`, as the emulator sees it: two streams. */
export class InitProcess {
  readonly #stdin: Writable;
  readonly #stdout: Readable;

  constructor(stdin: Writable, stdout: Readable) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    stdin.on('error', () => stdin.destroy());
    stdout.setEncoding('utf8');
    stdout.resume();
  }

  boot(): void {
    this.#stdin.write('boot\n');
  }

  /** Ends all other processes. */
  stop(): Promise<void> {
    const stdout = this.#stdout;
    return new Promise((resolve, reject) => {
      let said = '';
      const settle = (error?: Error): void => {
        clearTimeout(deadline);
        stdout.off('data', onData);
        stdout.off('close', onClose);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onData = (chunk: string): void => {
        said += chunk;
        if (said.includes(STOPPED)) settle();
      };
      const onClose = (): void => settle(new Error('The sandbox ended while its processes were being stopped.'));
      const deadline = setTimeout(
        () => settle(new Error('The processes of the sandbox could not be stopped in time.')),
        STOP_DEADLINE_MS,
      );
      stdout.on('data', onData);
      stdout.once('close', onClose);
      this.#stdin.write('stop\n');
    });
  }

  end(): void {
    this.#stdin.end();
  }
}

import type { Backend } from '@agent-workspace/core';

const BYTES_IN_KIB = 1024;

/** What the gateway holds, asked of it by commands, whose parent it is. */
export class GatewayMemory {
  readonly #backend: Backend;
  readonly #program: string;

  /** @param program the bundle of `heap-of-parent`, where the gateway is */
  constructor(backend: Backend, program: string) {
    this.#backend = backend;
    this.#program = program;
  }

  /** Bytes that it has in memory. */
  async rss(): Promise<number> {
    const status = await this.#print(['sh', '-c', 'cat /proc/$PPID/cmdline /proc/$PPID/status']);
    const kib = status.includes('gateway.cjs') ? /VmRSS:\s+(\d+) kB/.exec(status)?.[1] : undefined;
    if (kib === undefined) throw new Error(`The parent of a command is not the gateway: ${status.slice(0, 200)}`);
    return Number(kib) * BYTES_IN_KIB;
  }

  /** Bytes that its heap has when the garbage is collected, which this does. */
  async heap(): Promise<number> {
    return Number(await this.#print(['node', this.#program]));
  }

  async #print(argv: readonly string[]): Promise<string> {
    const { end, stdout, stderr } = await this.#backend.exec(argv);
    if (end.kind !== 'exited' || end.exitCode !== 0) {
      throw new Error(`${argv.join(' ')}: ${Buffer.from(stderr.tail).toString()}`);
    }
    return Buffer.concat([stdout.head, stdout.tail]).toString();
  }
}

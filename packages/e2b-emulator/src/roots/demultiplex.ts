import type { Duplex, Writable } from 'node:stream';

const HEADER_BYTES = 8;
const STDERR = 2;

export interface DemultiplexOptions {
  readonly stdout: Writable;
  readonly onStderr: (text: string) => void;
}

/** Takes apart the two outputs of a container, which come on one connection in frames. */
export function demultiplex(source: Duplex, { stdout, onStderr }: DemultiplexOptions): void {
  let pending = Buffer.alloc(0);
  source.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + pending.readUInt32BE(4);
      if (pending.length < end) return;
      const payload = pending.subarray(HEADER_BYTES, end);
      if (pending[0] === STDERR) onStderr(payload.toString('utf8').trimEnd());
      else stdout.write(payload);
      pending = pending.subarray(end);
    }
  });
  source.once('close', () => stdout.destroy());
}

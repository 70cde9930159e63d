import type { Duplex } from 'node:stream';
import type { ConnectOptions } from '@agent-workspace/gateway-client';
import { GATEWAY_SOCKET, OWN_NODE } from '../bootstrap/layout.ts';
import { ExecStream, type PodReference } from '../exec/exec-stream.ts';
import { RELAY_READY, RELAY_SCRIPT } from './relay-script.ts';
import { type Transport, unreachable } from './transport.ts';

/** A relay is a process of its own in the Pod, with some 15 MiB and seven threads. */
const CONNECTIONS = 6;

/**
 * A command in the Pod for each connection, which relays it to the gateway: for a cluster that allows no more, and
 * for a gateway that listens on no network.
 */
export class ExecTransport implements Transport {
  readonly kind = 'exec';
  readonly connections: number = CONNECTIONS;
  readonly #pod: PodReference;
  readonly #port: number;

  constructor({ pod, port }: { readonly pod: PodReference; readonly port: number }) {
    this.#pod = pod;
    this.#port = port;
  }

  async connect({ signal }: ConnectOptions): Promise<Duplex> {
    const argv = [OWN_NODE, '-e', RELAY_SCRIPT, GATEWAY_SOCKET, String(this.#port)];
    let stream: ExecStream;
    try {
      stream = await ExecStream.open(this.#pod, argv, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable((error as Error).message, error);
    }
    const abort = (): void => void stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await readReadyMark(stream);
      return stream;
    } catch (error) {
      stream.on('error', () => undefined).destroy();
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

/** Takes the mark off the stream. Whatever else comes first is why there is no relay. */
async function readReadyMark(stream: ExecStream): Promise<void> {
  const mark = Buffer.from(RELAY_READY);
  let read = Buffer.alloc(0);
  while (read.length < mark.length) {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) read = Buffer.concat([read, chunk]);
    else await readable(stream);
    if (chunk === null && stream.readableEnded) break;
  }
  if (!read.subarray(0, mark.length).equals(mark)) {
    const said = [read.toString('utf8'), stream.stderr, stream.status?.message ?? ''];
    const reasons = said.map((text) => text.trim()).filter((text) => text !== '');
    throw unreachable(['the relay in the Pod did not start', ...reasons].join(': '));
  }
  if (read.length > mark.length) stream.unshift(read.subarray(mark.length));
}

/** Until there is something to read, or the end. */
function readable(stream: ExecStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      stream.off('readable', onReadable).off('end', onReadable).off('close', onClose).off('error', onError);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onReadable = (): void => settle();
    const onClose = (): void => settle(unreachable('the stream to the Pod was closed'));
    const onError = (error: Error): void => settle(unreachable(error.message, error));
    stream.on('readable', onReadable).on('end', onReadable).on('close', onClose).on('error', onError);
  });
}

import type { Duplex } from 'node:stream';
import type { ConnectOptions } from '@agent-workspace/gateway-client';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { ExecStream } from '../engine/exec-stream.ts';
import { hasStatus } from '../engine/translate-error.ts';
import { IMAGE_LAYOUT } from '../image/layout.ts';
import { RELAY_READY, RELAY_SCRIPT } from './relay-script.ts';
import { type Transport, unreachable } from './transport.ts';

/** A relay is a process of its own in the container, with some 15 MiB and seven threads. */
const CONNECTIONS = 6;

export interface ExecTransportOptions {
  readonly engine: DockerEngine;
  readonly containerId: string;
}

/**
 * A command in the container for each connection, which relays it to the gateway's socket. It needs
 * nothing but the engine's API: engines elsewhere, and any network.
 */
export class ExecTransport implements Transport {
  readonly kind = 'exec';
  readonly connections: number = CONNECTIONS;
  readonly #engine: DockerEngine;
  readonly #containerId: string;

  constructor({ engine, containerId }: ExecTransportOptions) {
    this.#engine = engine;
    this.#containerId = containerId;
  }

  async connect({ signal }: ConnectOptions): Promise<Duplex> {
    const stream = await this.#start(signal);
    const abort = (): void => void stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await readReadyMark(stream);
      return stream;
    } catch (error) {
      stream.destroy();
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #start(signal: AbortSignal): Promise<ExecStream> {
    const { node, socket } = IMAGE_LAYOUT;
    try {
      return await this.#engine.containers.exec(this.#containerId, [node, '-e', RELAY_SCRIPT, socket], { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (hasStatus(error, 404)) throw unreachable('the container is gone', error);
      if (hasStatus(error, 409)) throw unreachable('the container is stopped or paused', error);
      throw unreachable(error instanceof Error ? error.message : String(error), error);
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
    const said = [read.toString('utf8').trim(), stream.stderr.trim()].filter((text) => text !== '').join('; ');
    throw unreachable(`the relay in the container did not start${said === '' ? '' : `: ${said}`}`);
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
    const onClose = (): void => settle(unreachable('the stream to the container was closed'));
    const onError = (error: Error): void => settle(unreachable(error.message, error));
    stream.on('readable', onReadable).on('end', onReadable).on('close', onClose).on('error', onError);
  });
}

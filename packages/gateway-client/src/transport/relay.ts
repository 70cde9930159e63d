import type { Duplex } from 'node:stream';
import type { ConnectOptions } from '../http/connector.ts';
import { RELAY_READY, RELAY_SCRIPT } from './relay-script.ts';
import { unreachable } from './transport.ts';

/** A relay is a process of its own in the sandbox, which takes longer to start than most requests, and some 15 MiB. */
export const RELAY_CONNECTIONS = 2;

/** A command in a sandbox: what is written is its stdin, what is read its stdout. */
export interface CommandStream extends Duplex {
  /** The end of what it wrote to stderr so far. */
  readonly stderr: string;
  /** Why it ended, where the engine says that. */
  readonly endReason?: string | undefined;
}

export interface RelayOptions {
  /** Node in the sandbox. */
  readonly node: string;
  /** Path of the gateway's socket there, */
  readonly socket: string;
  /** and the port that it may listen on instead. */
  readonly port?: number | undefined;
  /** Runs a command in the sandbox. What it fails with is why there is no way to the gateway. */
  readonly start: (argv: readonly string[], options: ConnectOptions) => Promise<CommandStream>;
}

/**
 * A connection to the gateway by way of a command in the sandbox, which relays it: for an engine that does not allow,
 * or lead to, anything else.
 *
 * @throws `gateway-unreachable`, and the signal's reason
 */
export async function openRelay(
  { node, socket, port, start }: RelayOptions,
  { signal }: ConnectOptions,
): Promise<Duplex> {
  const argv = [node, '-e', RELAY_SCRIPT, socket, ...(port === undefined ? [] : [String(port)])];
  const stream = await start(argv, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(error instanceof Error ? error.message : String(error), error);
  });
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

/** Takes the mark off the stream. Whatever else comes first is why there is no relay. */
async function readReadyMark(stream: CommandStream): Promise<void> {
  const mark = Buffer.from(RELAY_READY);
  let read = Buffer.alloc(0);
  while (read.length < mark.length) {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) read = Buffer.concat([read, chunk]);
    else await readable(stream);
    if (chunk === null && stream.readableEnded) break;
  }
  if (!read.subarray(0, mark.length).equals(mark)) {
    const said = [read.toString('utf8'), stream.stderr, stream.endReason ?? ''];
    const reasons = said.map((text) => text.trim()).filter((text) => text !== '');
    throw unreachable(['the relay in the sandbox did not start', ...reasons].join(': '));
  }
  if (read.length > mark.length) stream.unshift(read.subarray(mark.length));
}

/** Until there is something to read, or the end. */
function readable(stream: CommandStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      stream.off('readable', onReadable).off('end', onReadable).off('close', onClose).off('error', onError);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onReadable = (): void => settle();
    const onClose = (): void => settle(unreachable('the stream to the sandbox was closed'));
    const onError = (error: Error): void => settle(unreachable(error.message, error));
    stream.on('readable', onReadable).on('end', onReadable).on('close', onClose).on('error', onError);
  });
}

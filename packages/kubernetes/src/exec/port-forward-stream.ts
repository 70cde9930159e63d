import type { WebSocket } from 'ws';
import { unreachable } from '@agent-workspace/gateway-client';
import { ChannelStream, openChannels } from './channel-stream.ts';
import type { PodReference } from './exec-stream.ts';

const DATA = 0;
const ERROR = 1;

/** Each channel says first which port it is for. */
const PORT_BYTES = 2;

/** One WebSocket is one connection. */
const PROTOCOLS = ['v4.channel.k8s.io'];

/** A connection to a port of a Pod, by way of the API server and the node. */
export class PortForwardStream extends ChannelStream {
  readonly #unread = [PORT_BYTES, PORT_BYTES];
  #hasReceived = false;
  #problem = '';

  /** It is there as soon as the node is: whether anything listens is told later. */
  static open(
    { connection, name }: Omit<PodReference, 'container'>,
    port: number,
    options: { readonly signal: AbortSignal },
  ): Promise<PortForwardStream> {
    const path = `/api/v1/namespaces/${connection.namespace}/pods/${name}/portforward?ports=${port}`;
    const operation = `forward a port of the Pod ${name}`;
    return openChannels(
      connection,
      { path, operation, protocols: PROTOCOLS },
      (socket) => new PortForwardStream(socket),
      options,
    );
  }

  private constructor(socket: WebSocket) {
    super(socket);
  }

  protected override onMessage(channel: number, payload: Buffer): void {
    if (channel !== DATA && channel !== ERROR) return;
    const skipped = Math.min(this.#unread[channel] ?? 0, payload.length);
    this.#unread[channel] = (this.#unread[channel] ?? 0) - skipped;
    const content = payload.subarray(skipped);
    if (content.length === 0) return;
    if (channel === DATA) {
      this.#hasReceived = true;
      this.receive(content);
    } else {
      this.#problem += content.toString('utf8');
    }
  }

  protected override ended(reason: string): void {
    if (this.#problem === '') {
      if (reason === '') this.push(null);
      else this.destroy(new Error(`the forwarded connection was lost: ${reason}`));
    } else if (this.#hasReceived) {
      this.destroy(new Error(this.#problem.trim()));
    } else {
      // Where nothing listens, the node says so in the place of an answer, and nothing was read.
      this.destroy(unreachable(this.#problem.trim()));
    }
  }

  /** It has one end for both sides. */
  override _final(callback: (error?: Error | null) => void): void {
    this.closeConnection();
    callback();
  }
}

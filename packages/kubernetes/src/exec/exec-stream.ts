import type { WebSocket } from 'ws';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { ChannelStream, openChannels } from './channel-stream.ts';

const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

/** Kept of stderr, for the message of an error. */
const MAX_STDERR_BYTES = 16 * 1024;

/** The fifth version alone can end stdin; what we run does not wait for that end. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** How a command ended, in the cluster's words. */
export interface ExecStatus {
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly code?: number | undefined;
  readonly details?:
    | { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] | undefined }
    | undefined;
}

/** A Pod, as requests name it. */
export interface PodReference {
  readonly connection: ClusterConnection;
  readonly name: string;
  readonly container: string;
}

/** A command in a Pod as a stream: what is written is its stdin, what is read its stdout. */
export class ExecStream extends ChannelStream {
  readonly #hasStdin: boolean;
  #stderr: Buffer = Buffer.alloc(0);
  #status: ExecStatus | undefined;

  /**
   * @param options `hasStdin: false`: its stdin is at its end from the start, and nothing may be written
   * @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason
   */
  static open(
    { connection, name, container }: PodReference,
    argv: readonly string[],
    options: { readonly signal: AbortSignal; readonly hasStdin?: boolean | undefined },
  ): Promise<ExecStream> {
    const { hasStdin = true } = options;
    const query = new URLSearchParams({ container, stdin: String(hasStdin), stdout: 'true', stderr: 'true' });
    for (const argument of argv) query.append('command', argument);
    const path = `/api/v1/namespaces/${connection.namespace}/pods/${name}/exec?${query.toString()}`;
    const operation = `run a command in the Pod ${name}`;
    return openChannels(
      connection,
      { path, operation, protocols: PROTOCOLS },
      (socket) => new ExecStream(socket, hasStdin),
      options,
    );
  }

  private constructor(socket: WebSocket, hasStdin: boolean) {
    super(socket);
    this.#hasStdin = hasStdin;
  }

  protected override get endsInput(): boolean {
    return this.#hasStdin && super.endsInput;
  }

  /** The end of what the command wrote to stderr so far. */
  get stderr(): string {
    return this.#stderr.toString('utf8');
  }

  /** Once it has ended. */
  get status(): ExecStatus | undefined {
    return this.#status;
  }

  get endReason(): string | undefined {
    return this.#status?.message;
  }

  protected override get isOver(): boolean {
    return this.#status !== undefined;
  }

  protected override onMessage(channel: number, payload: Buffer): void {
    if (channel === STDOUT) this.receive(payload);
    else if (channel === STDERR) this.#stderr = Buffer.concat([this.#stderr, payload]).subarray(-MAX_STDERR_BYTES);
    else if (channel === STATUS) this.#takeStatus(payload);
  }

  #takeStatus(payload: Buffer): void {
    try {
      this.#status = JSON.parse(payload.toString('utf8')) as ExecStatus;
      this.push(null);
    } catch (error) {
      this.destroy(new Error('how the command ended is not told as JSON', { cause: error }));
    }
  }

  protected override ended(reason: string): void {
    if (this.#status === undefined) this.destroy(new Error(`the connection to the command was lost: ${reason}`));
  }
}

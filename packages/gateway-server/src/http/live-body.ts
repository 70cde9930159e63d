import { HEARTBEAT_MS } from '@agent-workspace/gateway-protocol';
import { Change } from '../async/change.ts';
import { bytesReply, type Reply, streamReply } from './reply.ts';

/** What may wait for a reader before whoever writes has to. */
const WINDOW_BYTES = 1024 * 1024;
/** What is written within this time is sent together with its end, if that comes as well. */
const PATIENCE_MS = 10;

export interface LiveBodyOptions {
  readonly contentType: string;
  /** Sent while there is nothing else to say, so that silence means a dead peer. */
  readonly alive: Uint8Array;
  /** What the rest of an answer is when the work behind it fails in the middle. */
  readonly problem: (error: unknown) => Uint8Array;
  /** What is waited for, to be sent together. Default: nothing. */
  readonly gather?: { readonly ms: number; readonly writes: number } | undefined;
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
}

/** The body of an answer that comes bit by bit: one that is over soon is sent in one piece. */
export class LiveBody {
  readonly #options: LiveBodyOptions;
  readonly #change = new Change();
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #hasBegun = false;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #isCancelled = false;

  constructor(options: LiveBodyOptions) {
    this.#options = options;
  }

  /** The reader is too slow for what is written. */
  get isFull(): boolean {
    return this.#bytes >= WINDOW_BYTES;
  }

  /** The reader has gone away. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** @returns what to wait for before more is written, if the reader is too slow */
  write(...chunks: readonly Uint8Array[]): Promise<void> | undefined {
    if (this.#isEnded || this.#isCancelled) return undefined;
    this.#chunks.push(...chunks);
    this.#bytes += lengthOf(chunks);
    this.#change.notify();
    return this.isFull ? this.#change.until(() => !this.isFull || this.#isCancelled) : undefined;
  }

  /** The reader gets all that was written, and its end. */
  end(): void {
    this.#isEnded = true;
    this.#change.notify();
  }

  /** The status says it where nothing has been said yet, and what was written does otherwise. */
  fail(error: unknown): void {
    if (this.#hasBegun) void this.write(this.#options.problem(error));
    else this.#failure = { error };
    this.end();
  }

  /** The answer, as soon as it is known whether it is a short one. @throws what the work failed with before that */
  async reply(): Promise<Reply> {
    const { contentType } = this.#options;
    await this.#change.until(() => this.#bytes > 0 || this.#isEnded, { waitMs: HEARTBEAT_MS });
    await this.#change.until(() => this.#isEnded, { waitMs: PATIENCE_MS });
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isEnded) return bytesReply(this.#take(), contentType);
    return streamReply(this.stream(), contentType);
  }

  /** What is written, as it comes. */
  stream(): ReadableStream<Uint8Array> {
    this.#hasBegun = true;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          await this.#change.until(() => this.#bytes > 0 || this.#isEnded, { waitMs: HEARTBEAT_MS });
          if (this.#bytes > 0) await this.#gather();
          if (this.#bytes > 0) controller.enqueue(Buffer.concat(this.#take()));
          else if (this.#isEnded) controller.close();
          else controller.enqueue(this.#options.alive);
        },
        cancel: () => {
          this.#isCancelled = true;
          this.#take();
        },
      },
      { highWaterMark: 0 },
    );
  }

  async #gather(): Promise<void> {
    const { gather } = this.#options;
    if (gather === undefined) return;
    const isEnough = (): boolean => this.#isEnded || this.isFull || this.#chunks.length >= gather.writes;
    await this.#change.until(isEnough, { waitMs: gather.ms });
  }

  #take(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#bytes = 0;
    this.#change.notify();
    return chunks;
  }
}

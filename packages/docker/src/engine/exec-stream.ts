import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A frame's header: the stream's number, three zero bytes, and the length of what follows, big-endian. */
const HEADER_BYTES = 8;
const STDERR = 2;

/** Kept of stderr, for the message of an error. */
const MAX_STDERR_BYTES = 16 * 1024;

/**
 * A command in a container as a stream: what is written is its stdin, what is read its stdout.
 * Flow is controlled both ways, so that neither side's memory grows with what the other does not take.
 *
 * @see https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach
 */
export class ExecStream extends Duplex {
  /** The engine's name for it. */
  readonly execId: string;
  readonly #raw: Socket;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #payloadBytes = 0;
  #stderr: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  /** @param raw the connection that the engine switched over, its `Tty` being false */
  constructor(execId: string, raw: Socket) {
    // When the engine has ended it, nobody reads what would still be written.
    super({ allowHalfOpen: false });
    this.execId = execId;
    this.#raw = raw;
    raw.on('data', (chunk: Buffer) => this.#take(chunk));
    raw.on('end', () => this.#end());
    raw.on('error', (error) => this.destroy(error));
    raw.on('close', () => {
      if (!this.#hasEnded) this.destroy(new Error('the connection to the engine broke'));
    });
  }

  /** The end of what the command wrote to stderr so far. */
  get stderr(): string {
    return this.#stderr.toString('utf8');
  }

  #take(chunk: Buffer): void {
    let wantsMore = true;
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#payloadBytes === 0) {
        const end = Math.min(chunk.length, offset + HEADER_BYTES - this.#headerBytes);
        this.#headerBytes += chunk.copy(this.#header, this.#headerBytes, offset, end);
        offset = end;
        if (this.#headerBytes < HEADER_BYTES) break;
        this.#headerBytes = 0;
        if (!this.#readHeader()) return;
        continue;
      }
      const payload = chunk.subarray(offset, offset + this.#payloadBytes);
      offset += payload.length;
      this.#payloadBytes -= payload.length;
      if (this.#header[0] === STDERR) this.#keepStderr(payload);
      else wantsMore = this.push(payload);
    }
    if (!wantsMore) this.#raw.pause();
  }

  #readHeader(): boolean {
    const isFrame = (this.#header[0] ?? 0) <= STDERR && this.#header.readUIntBE(1, 3) === 0;
    if (isFrame) this.#payloadBytes = this.#header.readUInt32BE(4);
    else this.destroy(new Error('what the engine sent is no frame of a stream'));
    return isFrame;
  }

  #keepStderr(payload: Buffer): void {
    this.#stderr = Buffer.concat([this.#stderr, payload]).subarray(-MAX_STDERR_BYTES);
  }

  #end(): void {
    this.#hasEnded = true;
    const isWhole = this.#headerBytes === 0 && this.#payloadBytes === 0;
    if (isWhole) this.push(null);
    else this.destroy(new Error('the stream of the engine ended within a frame'));
  }

  override _read(): void {
    this.#raw.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#raw.write(chunk, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.#raw.writable) this.#raw.end(() => callback());
    else callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#raw.destroy();
    callback(error);
  }

  // An HTTP client takes this for a socket, and asks these of it.

  setKeepAlive(enable?: boolean, initialDelay?: number): this {
    this.#raw.setKeepAlive(enable, initialDelay);
    return this;
  }

  setNoDelay(noDelay?: boolean): this {
    this.#raw.setNoDelay(noDelay);
    return this;
  }

  setTimeout(timeoutMs: number, callback?: () => void): this {
    this.#raw.setTimeout(timeoutMs, callback);
    return this;
  }

  ref(): this {
    this.#raw.ref();
    return this;
  }

  unref(): this {
    this.#raw.unref();
    return this;
  }
}

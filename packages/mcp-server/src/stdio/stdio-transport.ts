import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

const NEWLINE = 0x0a;
/** What a client sends is at most a file to be written. 64 MiB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * MCP over two streams, one JSON-RPC message a line. A line that is none gets an answer that says so,
 * so that nobody waits for it; the end of the input is the end of the connection.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  #parts: Buffer[] = [];
  #sizeBytes = 0;
  #isTooLong = false;
  #isClosed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData);
    for (const event of ['end', 'close', 'error']) this.#input.once(event, this.#onEnd);
    for (const event of ['close', 'error']) this.#output.once(event, this.#onEnd);
    await Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off('data', this.#onData);
    for (const event of ['end', 'close', 'error']) this.#input.off(event, this.#onEnd);
    // A write that fails from here on is nobody's loss.
    this.#output.on('error', ignore);
    this.#input.pause();
    this.#parts = [];
    this.onclose?.();
    await Promise.resolve();
  }

  readonly #onEnd = (): void => void this.close();

  readonly #onData = (chunk: Buffer): void => {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end));
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
  };

  #keep(part: Buffer): void {
    if (this.#isTooLong || part.length === 0) return;
    this.#sizeBytes += part.length;
    this.#parts.push(part);
    if (this.#sizeBytes <= MAX_LINE_BYTES) return;
    this.#isTooLong = true;
    this.#parts = [];
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts).toString('utf8');
    const isTooLong = this.#isTooLong;
    this.#parts = [];
    this.#sizeBytes = 0;
    this.#isTooLong = false;
    if (isTooLong) this.#refuse(null, INVALID_REQUEST, `a message has at most ${MAX_LINE_BYTES} bytes`);
    else if (line.trim() !== '') this.#take(line);
  }

  #take(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.#refuse(null, PARSE_ERROR, `a line is not JSON: ${(error as Error).message}`);
      return;
    }
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) this.onmessage?.(message.data);
    else this.#refuse(idOf(value), INVALID_REQUEST, 'a line is no JSON-RPC 2.0 message');
  }

  #refuse(id: string | number | null, code: number, reason: string): void {
    this.onerror?.(new Error(`From the client, ${reason}.`));
    void this.#write({ jsonrpc: '2.0', id, error: { code, message: `From the client, ${reason}.` } });
  }

  async #write(message: object): Promise<void> {
    if (this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    // The end of the stream settles it, too, with an error that `#onEnd` is told of.
    this.#output.write(`${JSON.stringify(message)}\n`, () => resolve());
    await promise;
  }
}

function idOf(value: unknown): string | number | null {
  const id = (value as { readonly id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function ignore(): void {
  // Nothing to be done.
}

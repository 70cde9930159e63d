import type { Deadline } from './deadline.ts';

/** One request to the gateway. */
export interface GatewayRequest {
  /** What it is for, as errors name it. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Uint8Array | string | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly callId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A request whose answer is taken as a whole. */
export interface WholeRequest extends GatewayRequest {
  /**
   * Milliseconds from the start to the last byte of the answer. Where the gateway has to be brought back first, what is
   * asked again has its time anew.
   */
  readonly timeoutMs: number;
  /** A longer answer is `gateway-answer-invalid`. */
  readonly maxBytes: number;
}

/** A request whose answer is taken as it comes. */
export interface StreamRequest extends GatewayRequest {
  /** Milliseconds until the next byte of the answer. */
  readonly silenceMs: number;
  /** The end of all of it. No limit by default. */
  readonly deadline?: Deadline | undefined;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface GatewayStream {
  readonly status: number;
  readonly contentType: string;
  /** Ends with a typed error if it does not end well. Stopping to iterate drops the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

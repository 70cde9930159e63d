import type { IncomingHttpHeaders } from 'node:http';
import type { EnvdUser } from '../users/user.ts';

/** What a procedure knows about the call, besides its request. */
export interface CallContext {
  /** From `Authorization: Basic`, else the default user. */
  readonly user: EnvdUser;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client has gone or `Connect-Timeout-Ms` has elapsed: nobody reads the answer any more. */
  readonly signal: AbortSignal;
  /** `Connect-Timeout-Ms`. `undefined`: no limit. */
  readonly timeoutMs: number | undefined;
}

export type UnaryProcedure = (request: unknown, context: CallContext) => Promise<object>;
export type StreamProcedure = (request: unknown, context: CallContext) => AsyncIterable<object>;
/** Takes the messages of a client stream as they come. */
export type ClientStreamProcedure = (requests: AsyncIterable<unknown>, context: CallContext) => Promise<object>;

/** A protobuf service in the JSON codec: requests as parsed, answers as they are to be serialised. */
export interface Service {
  /** With its package, such as `process.Process`. */
  readonly name: string;
  readonly unary: Readonly<Record<string, UnaryProcedure>>;
  /** Server streams. */
  readonly streams: Readonly<Record<string, StreamProcedure>>;
  readonly clientStreams?: Readonly<Record<string, ClientStreamProcedure>> | undefined;
}

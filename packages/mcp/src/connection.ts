import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Why a connection to a server is over. */
export type ConnectionEnd =
  /** Its owner closed it. */
  | { readonly kind: 'closed' }
  /** The process ended on its own. */
  | { readonly kind: 'exited'; readonly exitCode?: number | undefined; readonly signal?: string | undefined }
  /** The server broke the protocol, so it was closed. */
  | { readonly kind: 'violated'; readonly reason: string }
  /** The server is there, and does not know the session any more. */
  | { readonly kind: 'forgotten' }
  /** The network, or what was behind it, went away. */
  | { readonly kind: 'lost'; readonly reason: string };

/** A way to one server, over whichever transport, with its life. */
export interface ServerConnection {
  readonly transport: Transport;
  readonly pid?: number | undefined;
  /** Set before the transport's `onclose` is called. */
  readonly end: ConnectionEnd | undefined;
  /** It is open, but what the server says on its own is not heard any more. */
  readonly isDeaf?: boolean | undefined;
  /** Told of each problem of the transport, which may be the end of it. `true`: responses that broke off stay so. */
  noteProblem?(error: Error): boolean;
  /** The last of what the server wrote to stderr, if it has one. */
  stderrTail(maxBytes?: number): string;
  /** Ends the session and all processes of the server. Idempotent; never throws. */
  close(options?: { readonly reason?: ConnectionEnd | undefined }): Promise<void>;
}

/** The version of this API. A change that an older end cannot take raises it. */
export const PROTOCOL_VERSION = 1;

/** What a host of this version can talk to: its own version and the one before. */
export const ACCEPTED_PROTOCOLS: readonly number[] = [PROTOCOL_VERSION];

export const CONTENT_TYPES = {
  json: 'application/json',
  /** Newline-delimited JSON, one value a line. */
  ndjson: 'application/x-ndjson',
  /** See {@link encodeFrame}. */
  frames: 'application/vnd.agent-workspace.frames',
  /** @see RFC 9457 */
  problem: 'application/problem+json',
  bytes: 'application/octet-stream',
} as const;

export const HEADERS = {
  /** Names a request, so that `DELETE /calls/{id}` can cancel it. */
  callId: 'x-call-id',
} as const;

/** Routes that are not in {@link backendOperations}. `{…}` is a percent-encoded part. */
export const ROUTES = {
  health: '/health',
  events: '/events',
  attachment: '/attachments/{id}',
  calls: '/calls',
  call: '/calls/{id}',
  readFile: '/files/read',
  openRead: '/files/open',
  write: '/files/write',
  readTree: '/trees/read',
  writeTree: '/trees/write',
  exec: '/exec',
  processes: '/processes',
  process: '/processes/{id}',
  processOutput: '/processes/{id}/output',
  processStdin: '/processes/{id}/stdin',
  processSignal: '/processes/{id}/signal',
  processEnd: '/processes/{id}/end',
  processAbort: '/processes/{id}/abort',
  mcps: '/mcps',
  mcp: '/mcps/{name}',
  mcpConnect: '/mcps/{name}/connect',
  mcpTools: '/mcps/{name}/tools',
  mcpTool: '/mcps/{name}/tools/{tool}',
} as const;

/** Fills the parts of a route in. */
export function routePath(route: string, parts: Readonly<Record<string, string>> = {}): string {
  return route.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(parts[name] ?? ''));
}

/** A long answer that has nothing to say yet says so this often, so that silence means a dead peer. */
export const HEARTBEAT_MS = 5_000;

/** Requests that wait for something are answered after this time at the latest, and asked again. */
export const MAX_WAIT_MS = 20_000;

/** The largest JSON body, in either direction, unless a schema says otherwise. */
export const MAX_JSON_BYTES: number = 64 * 1024 * 1024;

/** Bytes of a stream that travel in one frame. */
export const STREAM_FRAME_BYTES: number = 256 * 1024;

/** Raw bytes of one frame of a request to `/exec` or `/files/write`, at the most. */
export const MAX_REQUEST_FRAME_BYTES: number = 1024 * 1024;

/** Raw bytes of one file of a tree, at the most. */
export const MAX_TREE_FRAME_BYTES: number = 512 * 1024 * 1024;

/** What a host says in `Host` where no proxy wants another name. */
export const DEFAULT_HOST = 'localhost';

/** Calls to one MCP server at once; more get 429 and `gateway-busy`. */
export const MAX_CALLS_PER_SERVER = 32;

/** Calls in one request to `/calls`, at the most. */
export const MAX_BATCHED_CALLS = 64;

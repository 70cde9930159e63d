export {
  type AddAttachmentRequest,
  ATTACHMENT_RENEWAL_MS,
  ATTACHMENT_TTL_MS,
  attachmentSchemas,
  type AttachmentSchemas,
  type Health,
} from './attachments.ts';
export {
  contentSchemas,
  type ContentSchemas,
  type OpenReadRequest,
  type ReadFileRequest,
  type ReadTreeRequest,
  type TreeEntryHeader,
  type WriteRequest,
  type WriteTreeRequest,
} from './content.ts';
export { KNOWN_ERRORS, type KnownError } from './errors/error-classes.ts';
export { type Problem, problemSchema } from './errors/problem.ts';
export { reviveError } from './errors/revive-error.ts';
export { toProblem } from './errors/to-problem.ts';
export { eventSchema, type GatewayEvent } from './events.ts';
export {
  type CapturedHeader,
  type CommandRequest,
  type ExecFrame,
  type ExecRequest,
  execSchemas,
  type ExecSchemas,
  type OutputHeader,
  PROCESS_WINDOW_BYTES,
  type SpawnAnswer,
  type SpawnRequest,
} from './exec.ts';
export {
  decodeFrames,
  type DecodeFramesOptions,
  encodeFrame,
  encodeFrameHeader,
  type Frame,
  MAX_FRAME_HEADER_BYTES,
} from './frames.ts';
export {
  type BatchedCall,
  type BatchLine,
  type BatchRequest,
  type CallLine,
  type CallToolRequest,
  type McpKey,
  mcpQuery,
  mcpSchemas,
  type McpSchemas,
  type McpStatus,
  type RegisterMcpRequest,
} from './mcp.ts';
export {
  backendOperations,
  type BackendOperations,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from './operations/backend-operations.ts';
export { fileSchemas, type FileSchemas } from './operations/file-operations.ts';
export type { BackgroundReference, Operation, OperationHost } from './operations/operation.ts';
export { backgroundReference, type BackgroundRecord } from './operations/process-operations.ts';
export {
  ACCEPTED_PROTOCOLS,
  CONTENT_TYPES,
  DEFAULT_HOST,
  HEADERS,
  HEARTBEAT_MS,
  MAX_BATCHED_CALLS,
  MAX_CALLS_PER_SERVER,
  MAX_JSON_BYTES,
  MAX_REQUEST_FRAME_BYTES,
  MAX_TREE_FRAME_BYTES,
  MAX_WAIT_MS,
  PROTOCOL_VERSION,
  routePath,
  ROUTES,
  STREAM_FRAME_BYTES,
} from './protocol.ts';
export { isSmallPart, PendingBytes } from './pending-bytes.ts';
export { type ReadyLine, readyLineSchema } from './ready-line.ts';
export { parseAnswer, parseRequest, toWire, type WireSchema } from './wire-schema.ts';

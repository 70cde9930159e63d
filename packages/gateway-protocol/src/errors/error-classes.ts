import {
  ExecFailedError,
  FileChangedError,
  FileExistsError,
  FileNotFoundError,
  FileTooLargeError,
  GatewayBusyError,
  GatewayFailedError,
  GatewayRequestInvalidError,
  GatewayResourceNotFoundError,
  GatewayUnauthorizedError,
  IOFailedError,
  LimitExceededError,
  LockLostError,
  MCPCallCancelledError,
  MCPCallTimeoutError,
  MCPClientClosedError,
  MCPConnectFailedError,
  MCPDeclarationInvalidError,
  MCPExistsError,
  MCPNotFoundError,
  MCPProtocolViolatedError,
  MCPRequestFailedError,
  MCPSecretMissingError,
  MCPServerExitedError,
  MCPSessionLostError,
  MCPToolNotFoundError,
  MessageInvalidError,
  NotADirectoryError,
  NotAFileError,
  OperationAbortedError,
  PathInvalidError,
  PathOutsideRootError,
  PatternInvalidError,
  PermissionDeniedError,
  SearchUnavailableError,
  type WorkspaceError,
} from '@agent-workspace/core';

interface ErrorClass {
  readonly code: string;
  new (details: never, options?: ErrorOptions): WorkspaceError;
}

/** By HTTP status, every error that a gateway gives. */
const CLASSES_BY_STATUS: Readonly<Record<number, readonly ErrorClass[]>> = {
  400: [
    GatewayRequestInvalidError,
    MCPDeclarationInvalidError,
    MessageInvalidError,
    PathInvalidError,
    PatternInvalidError,
  ],
  401: [GatewayUnauthorizedError],
  403: [PathOutsideRootError, PermissionDeniedError],
  404: [FileNotFoundError, GatewayResourceNotFoundError, MCPNotFoundError, MCPToolNotFoundError],
  409: [FileChangedError, FileExistsError, LockLostError, MCPClientClosedError, MCPExistsError],
  410: [MCPSessionLostError],
  413: [FileTooLargeError, LimitExceededError],
  422: [ExecFailedError, MCPSecretMissingError, NotADirectoryError, NotAFileError],
  429: [GatewayBusyError],
  // As nginx has it: whoever asked has gone away, or cancelled.
  499: [MCPCallCancelledError, OperationAbortedError],
  500: [GatewayFailedError, IOFailedError],
  501: [SearchUnavailableError],
  502: [MCPConnectFailedError, MCPProtocolViolatedError, MCPRequestFailedError, MCPServerExitedError],
  504: [MCPCallTimeoutError],
};

export interface KnownError {
  readonly status: number;
  readonly errorClass: ErrorClass;
}

/** The one map of error codes to statuses and classes. */
export const KNOWN_ERRORS: ReadonlyMap<string, KnownError> = new Map(
  Object.entries(CLASSES_BY_STATUS).flatMap(([status, classes]) =>
    classes.map((errorClass) => [errorClass.code, { status: Number(status), errorClass }] as const),
  ),
);

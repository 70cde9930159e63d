export { aroundBackend } from './backend/around-backend.ts';
export type { Backend, BackendCapabilities, LockOwner } from './backend/backend.ts';
export { baseEnvironment } from './backend/base-environment.ts';
export type {
  BackgroundProcess,
  BackgroundState,
  EndProcessesOptions,
  ListBackgroundOptions,
  StartBackgroundOptions,
} from './backend/background.ts';
export type {
  AppendRecordOptions,
  AppendRecordResult,
  ChangeOptions,
  DirectoryEntry,
  FileKind,
  FileStat,
  HeldLock,
  MakeDirectoryOptions,
  OpenReadOptions,
  PathOptions,
  ReadFileOptions,
  ReadFileResult,
  RemoveOptions,
  StatOptions,
  WriteFileOptions,
  WriteFileResult,
} from './backend/files.ts';
export type {
  BackendProcess,
  CapturedOutput,
  ExecOptions,
  ExecResult,
  OutputChunk,
  ProcessEnd,
  ProcessSignal,
  SpawnOptions,
} from './backend/process.ts';
export type {
  GlobOptions,
  GlobResult,
  GrepLine,
  GrepOptions,
  GrepResult,
  SearchOptions,
  SearchOutcome,
} from './backend/search.ts';
export {
  type CopyTreeOptions,
  type HashTreeOptions,
  NOISE_NAMES,
  type ReadTreeOptions,
  type TreeEntry,
  type WriteTreeOptions,
} from './backend/trees.ts';
export { WorkspaceError, type ErrorDetails, type WorkspaceErrorInit } from './errors/workspace-error.ts';
export { type ArchiveRejectedDetails, ArchiveRejectedError } from './errors/archive-rejected-error.ts';
export { type BaseImageLacksPythonDetails, BaseImageLacksPythonError } from './errors/base-image-lacks-python-error.ts';
export { type Base64InvalidDetails, Base64InvalidError } from './errors/base64-invalid-error.ts';
export { type ContainerStartFailedDetails, ContainerStartFailedError } from './errors/container-start-failed-error.ts';
export { type DockerOptionsInvalidDetails, DockerOptionsInvalidError } from './errors/docker-options-invalid-error.ts';
export { type DockerRequestFailedDetails, DockerRequestFailedError } from './errors/docker-request-failed-error.ts';
export { type DockerUnavailableDetails, DockerUnavailableError } from './errors/docker-unavailable-error.ts';
export { type E2BOptionsInvalidDetails, E2BOptionsInvalidError } from './errors/e2b-options-invalid-error.ts';
export { type E2BRequestFailedDetails, E2BRequestFailedError } from './errors/e2b-request-failed-error.ts';
export {
  type E2BTemplateUnsuitableDetails,
  E2BTemplateUnsuitableError,
} from './errors/e2b-template-unsuitable-error.ts';
export { type EncodingUnsupportedDetails, EncodingUnsupportedError } from './errors/encoding-unsupported-error.ts';
export { type ExecFailedDetails, ExecFailedError } from './errors/exec-failed-error.ts';
export { type FileChangedDetails, FileChangedError } from './errors/file-changed-error.ts';
export { type FileExistsDetails, FileExistsError } from './errors/file-exists-error.ts';
export { type FileNotFoundDetails, FileNotFoundError } from './errors/file-not-found-error.ts';
export { type FileTooLargeDetails, FileTooLargeError } from './errors/file-too-large-error.ts';
export { type GatewayAnswerInvalidDetails, GatewayAnswerInvalidError } from './errors/gateway-answer-invalid-error.ts';
export { type GatewayBusyDetails, GatewayBusyError } from './errors/gateway-busy-error.ts';
export {
  type GatewayConnectionLostDetails,
  GatewayConnectionLostError,
} from './errors/gateway-connection-lost-error.ts';
export { type GatewayFailedDetails, GatewayFailedError } from './errors/gateway-failed-error.ts';
export { type GatewayProtocolDetails, GatewayProtocolError } from './errors/gateway-protocol-error.ts';
export {
  type GatewayRequestInvalidDetails,
  GatewayRequestInvalidError,
} from './errors/gateway-request-invalid-error.ts';
export {
  type GatewayResourceNotFoundDetails,
  GatewayResourceNotFoundError,
} from './errors/gateway-resource-not-found-error.ts';
export { type GatewayStartFailedDetails, GatewayStartFailedError } from './errors/gateway-start-failed-error.ts';
export { type GatewayTimeoutDetails, GatewayTimeoutError } from './errors/gateway-timeout-error.ts';
export { type GatewayUnauthorizedDetails, GatewayUnauthorizedError } from './errors/gateway-unauthorized-error.ts';
export { type GatewayUnreachableDetails, GatewayUnreachableError } from './errors/gateway-unreachable-error.ts';
export { type GatewayUnstableDetails, GatewayUnstableError } from './errors/gateway-unstable-error.ts';
export {
  type GatewayVersionConflictDetails,
  GatewayVersionConflictError,
} from './errors/gateway-version-conflict-error.ts';
export { type IOFailedDetails, IOFailedError } from './errors/io-failed-error.ts';
export { type IdInvalidDetails, IdInvalidError } from './errors/id-invalid-error.ts';
export { type ImageBuildFailedDetails, ImageBuildFailedError } from './errors/image-build-failed-error.ts';
export { type ImagePullFailedDetails, ImagePullFailedError } from './errors/image-pull-failed-error.ts';
export {
  type KubernetesOptionsInvalidDetails,
  KubernetesOptionsInvalidError,
} from './errors/kubernetes-options-invalid-error.ts';
export { type KubernetesRefusedDetails, KubernetesRefusedError } from './errors/kubernetes-refused-error.ts';
export {
  type KubernetesUnavailableDetails,
  KubernetesUnavailableError,
} from './errors/kubernetes-unavailable-error.ts';
export { type LeaseUnavailableDetails, LeaseUnavailableError } from './errors/lease-unavailable-error.ts';
export { type LimitExceededDetails, LimitExceededError } from './errors/limit-exceeded-error.ts';
export { type LockLostDetails, LockLostError } from './errors/lock-lost-error.ts';
export { type LockTimeoutDetails, LockTimeoutError } from './errors/lock-timeout-error.ts';
export { type ManagerClosedDetails, ManagerClosedError } from './errors/manager-closed-error.ts';
export {
  type ManagerOptionsInvalidDetails,
  ManagerOptionsInvalidError,
} from './errors/manager-options-invalid-error.ts';
export { type ManagerStorageFailedDetails, ManagerStorageFailedError } from './errors/manager-storage-failed-error.ts';
export { type MCPCallCancelledDetails, MCPCallCancelledError } from './errors/mcp-call-cancelled-error.ts';
export { type MCPCallTimeoutDetails, MCPCallTimeoutError } from './errors/mcp-call-timeout-error.ts';
export { type MCPClientClosedDetails, MCPClientClosedError } from './errors/mcp-client-closed-error.ts';
export { type MCPConnectFailedDetails, MCPConnectFailedError } from './errors/mcp-connect-failed-error.ts';
export {
  type MCPDeclarationInvalidDetails,
  MCPDeclarationInvalidError,
} from './errors/mcp-declaration-invalid-error.ts';
export { type MCPExistsDetails, MCPExistsError } from './errors/mcp-exists-error.ts';
export { type MCPNotFoundDetails, MCPNotFoundError } from './errors/mcp-not-found-error.ts';
export { type MCPProtocolViolatedDetails, MCPProtocolViolatedError } from './errors/mcp-protocol-violated-error.ts';
export { type MCPRequestFailedDetails, MCPRequestFailedError } from './errors/mcp-request-failed-error.ts';
export { type MCPSecretMissingDetails, MCPSecretMissingError } from './errors/mcp-secret-missing-error.ts';
export { type MCPServerExitedDetails, MCPServerExitedError } from './errors/mcp-server-exited-error.ts';
export {
  type MCPServerOptionsInvalidDetails,
  MCPServerOptionsInvalidError,
} from './errors/mcp-server-options-invalid-error.ts';
export { type MCPSessionLostDetails, MCPSessionLostError } from './errors/mcp-session-lost-error.ts';
export { type MCPToolNotFoundDetails, MCPToolNotFoundError } from './errors/mcp-tool-not-found-error.ts';
export { type MessageInvalidDetails, MessageInvalidError } from './errors/message-invalid-error.ts';
export { type NotADirectoryDetails, NotADirectoryError } from './errors/not-a-directory-error.ts';
export { type NotAFileDetails, NotAFileError } from './errors/not-a-file-error.ts';
export { type OperationAbortedDetails, OperationAbortedError } from './errors/operation-aborted-error.ts';
export { type PackageInstallFailedDetails, PackageInstallFailedError } from './errors/package-install-failed-error.ts';
export { type PathInvalidDetails, PathInvalidError } from './errors/path-invalid-error.ts';
export { type PathOutsideRootDetails, PathOutsideRootError } from './errors/path-outside-root-error.ts';
export { type PathProtectedDetails, PathProtectedError } from './errors/path-protected-error.ts';
export { type PatternInvalidDetails, PatternInvalidError } from './errors/pattern-invalid-error.ts';
export { type PermissionDeniedDetails, PermissionDeniedError } from './errors/permission-denied-error.ts';
export { type PodStartFailedDetails, PodStartFailedError } from './errors/pod-start-failed-error.ts';
export { type SearchUnavailableDetails, SearchUnavailableError } from './errors/search-unavailable-error.ts';
export { type SessionMismatchDetails, SessionMismatchError } from './errors/session-mismatch-error.ts';
export { type SkillInvalidDetails, SkillInvalidError } from './errors/skill-invalid-error.ts';
export { type SkillNotFoundDetails, SkillNotFoundError } from './errors/skill-not-found-error.ts';
export { type StateFileInvalidDetails, StateFileInvalidError } from './errors/state-file-invalid-error.ts';
export { type ToolNameConflictDetails, ToolNameConflictError } from './errors/tool-name-conflict-error.ts';
export { type ToolSessionMissingDetails, ToolSessionMissingError } from './errors/tool-session-missing-error.ts';
export {
  type ToolkitOptionsInvalidDetails,
  ToolkitOptionsInvalidError,
} from './errors/toolkit-options-invalid-error.ts';
export { type WorkdirInvalidDetails, WorkdirInvalidError } from './errors/workdir-invalid-error.ts';
export { type WorkdirNotSharedDetails, WorkdirNotSharedError } from './errors/workdir-not-shared-error.ts';
export { type WorkdirNotWritableDetails, WorkdirNotWritableError } from './errors/workdir-not-writable-error.ts';
export { type WorkspaceClosedDetails, WorkspaceClosedError } from './errors/workspace-closed-error.ts';
export { type WorkspaceForbiddenDetails, WorkspaceForbiddenError } from './errors/workspace-forbidden-error.ts';
export { type WorkspaceLostDetails, WorkspaceLostError } from './errors/workspace-lost-error.ts';
export {
  type WorkspaceNotInitializedDetails,
  WorkspaceNotInitializedError,
} from './errors/workspace-not-initialized-error.ts';
export { type Diagnostic, DiagnosticList } from './events/diagnostics.ts';
export { type Logger, silentLogger } from './events/logger.ts';
export type { WorkspaceEvent, WorkspaceEventListener } from './events/workspace-event.ts';
export { lazy } from './lazy.ts';
export { toContentBlocks } from './mcp/content-blocks.ts';
export {
  type AgentScopeSpec,
  type HttpMcpDeclaration,
  type McpDeclaration,
  type McpDeclarationInput,
  type McpServerInput,
  type McpServersJson,
  parseAgentScopeSpec,
  parseMcpDeclarations,
  type StdioMcpDeclaration,
  toAgentScopeSpec,
} from './mcp/declaration.ts';
export {
  isMCPClient,
  type MCPCallOptions,
  type MCPCallResult,
  type MCPClient,
  type MCPClientState,
  type MCPContent,
  type MCPProgress,
  type MCPTool,
  type MCPToolDescription,
} from './mcp/mcp-client.ts';
export { ClientMCPTool, createMcpTool } from './mcp/mcp-tool.ts';
export { findMCPTool, mcpToolName } from './mcp/tool-name.ts';
export type {
  Base64Source,
  ContentBlock,
  DataBlock,
  HintBlock,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
  ToolResultState,
  URLSource,
} from './messages/blocks.ts';
export type { Message } from './messages/message.ts';
export { parseMessage } from './messages/parse-message.ts';
export type { Offloader } from './offload/offloader.ts';
export { readProcess, readProcessNow, readProcessTable } from './processes/process-table.ts';
export { ProcessTree } from './processes/process-tree.ts';
export { SkillStore } from './skills/skill-store.ts';
export type { Skill, SkillSource } from './skills/skill.ts';
export {
  type BuiltinToolsOptions,
  createBuiltinTools,
  DEFAULT_MAX_MEDIA_BYTES,
  DEFAULT_MEDIA_TYPES,
} from './tools/create-builtin-tools.ts';
export { formatCall } from './tools/format-call.ts';
export { type ToolPath, ToolPaths } from './tools/paths.ts';
export { findShell } from './tools/shell.ts';
export { collectToolResult, type ToolResult } from './tools/tool-result.ts';
export type { JsonSchema, Tool, ToolAnnotations, ToolCallOptions, ToolChunk } from './tools/tool.ts';
export { encodeId, encodeToolCallId, isSafeVerbatimName } from './state/encode-id.ts';
export { Layout } from './state/layout.ts';
export { KeyedMutex } from './state/keyed-mutex.ts';
export { recordKey } from './state/record-key.ts';
export type { WorkspaceContext } from './state/workspace-context.ts';
export { type LockGuard, WorkspaceLock } from './state/workspace-lock.ts';
export { type Scope, scopeKey, UNSCOPED } from './scope.ts';
export { untilAborted } from './until-aborted.ts';
export type { Workspace, WorkspaceSession, WorkspaceStatus } from './workspace/workspace.ts';
export {
  type McpClientContext,
  type StartedBackend,
  WorkspaceBase,
  type WorkspaceOptions,
} from './workspace/workspace-base.ts';
export type {
  GetWorkspaceOptions,
  WorkspaceKey,
  WorkspaceLease,
  WorkspaceManager,
} from './workspace/workspace-manager.ts';
export type { ReadLimits } from './workspace/workspace-parts.ts';
export {
  type HostDirectory,
  makeHostDirectory,
  type MakeHostDirectoryOptions,
  takeBackHostDirectory,
} from './workspace/host-directory.ts';
export { onHostWorkdir } from './workspace/on-host-workdir.ts';
export { removeTree } from './workspace/remove-tree.ts';

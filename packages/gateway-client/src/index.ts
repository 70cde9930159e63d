export { GatewayBackend, type GatewayBackendOptions } from './backend/gateway-backend.ts';
export { type FrameRequest, GatewayClient, type GatewayClientOptions, type JsonRequest } from './gateway-client.ts';
export { GatewayEvents, type GatewayEventsOptions, type GatewayListener } from './gateway-events.ts';
export type { ConnectOptions, Connector } from './http/connector.ts';
export { DEFAULT_DEADLINES, type GatewayDeadlines } from './http/deadlines.ts';
export { GatewayMCPClient, type GatewayMCPClientOptions } from './mcp/gateway-mcp-client.ts';
export { GatewayKeeper, type GatewayKeeperOptions } from './sandbox/gateway-keeper.ts';
export type {
  GatewayInstallation,
  Sandbox,
  SandboxCommand,
  SandboxFile,
  SandboxRunOptions,
  SandboxRunResult,
  SandboxStart,
  SandboxStartedWith,
} from './sandbox/sandbox.ts';
export { SandboxedWorkspaceBase, type SandboxedWorkspaceOptions } from './sandbox/sandboxed-workspace-base.ts';

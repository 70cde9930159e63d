export { GatewayBackend, type GatewayBackendOptions } from './backend/gateway-backend.ts';
export { type FrameRequest, GatewayClient, type GatewayClientOptions, type JsonRequest } from './gateway-client.ts';
export { GatewayEvents, type GatewayEventsOptions, type GatewayListener } from './gateway-events.ts';
export type { ConnectOptions, Connector } from './http/connector.ts';
export { DEFAULT_DEADLINES, type GatewayDeadlines } from './http/deadlines.ts';
export { GatewayMCPClient, type GatewayMCPClientOptions } from './mcp/gateway-mcp-client.ts';
export { GatewayKeeper, type GatewayKeeperOptions } from './sandbox/gateway-keeper.ts';
export type { GatewayAnswer } from './http/request.ts';
export type {
  GatewayInstallation,
  GatewayRoute,
  Sandbox,
  SandboxCommand,
  SandboxFile,
  SandboxRunOptions,
  SandboxRunResult,
  SandboxStart,
  SandboxStartedWith,
} from './sandbox/sandbox.ts';
export { openSocket } from './transport/open-socket.ts';
export { type CommandStream, openRelay, RELAY_CONNECTIONS, type RelayOptions } from './transport/relay.ts';
export { CHEAP_CONNECTIONS, type Transport, unreachable } from './transport/transport.ts';
export { SandboxedWorkspaceBase, type SandboxedWorkspaceOptions } from './sandbox/sandboxed-workspace-base.ts';

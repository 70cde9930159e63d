import type { MCPClientState } from '@agent-workspace/core';

/** Where an MCP server stands, as clients are told it. */
export interface McpHealth {
  kind: MCPClientState['kind'];
  reason?: string;
  /** ISO 8601. */
  retryAt?: string;
  pid?: number;
}

export function mcpHealth(state: MCPClientState): McpHealth {
  const { kind } = state;
  if (state.kind === 'connected') return state.pid === undefined ? { kind } : { kind, pid: state.pid };
  if (state.kind !== 'failed') return { kind };
  const { reason, retryAt } = state;
  return { kind, reason, ...(retryAt === undefined ? {} : { retryAt: new Date(retryAt).toISOString() }) };
}

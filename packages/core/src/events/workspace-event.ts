import type { BackgroundState } from '../backend/background.ts';
import type { MCPClientState } from '../mcp/mcp-client.ts';
import type { ToolResultState } from '../messages/blocks.ts';
import type { Scope } from '../scope.ts';

/** Everything that a workspace tells as it happens. */
export type WorkspaceEvent =
  | {
      readonly type: 'tool-started';
      readonly scope: Scope;
      readonly tool: string;
      readonly toolCallId?: string | undefined;
    }
  | {
      readonly type: 'tool-output';
      readonly scope: Scope;
      readonly tool: string;
      readonly toolCallId?: string | undefined;
      readonly stream: 'stdout' | 'stderr';
      readonly bytes: Uint8Array;
    }
  | {
      readonly type: 'tool-ended';
      readonly scope: Scope;
      readonly tool: string;
      readonly toolCallId?: string | undefined;
      readonly state: ToolResultState;
      readonly durationMs: number;
    }
  | { readonly type: 'mcp-state-changed'; readonly scope: Scope; readonly name: string; readonly state: MCPClientState }
  | { readonly type: 'mcp-evicted'; readonly scope: Scope; readonly name: string }
  | { readonly type: 'context-offloaded'; readonly sessionId: string; readonly path: string; readonly messages: number }
  | {
      readonly type: 'tool-result-offloaded';
      readonly sessionId: string;
      readonly path: string;
      readonly sizeBytes: number;
    }
  | { readonly type: 'data-offloaded'; readonly path: string; readonly sizeBytes: number; readonly isNew: boolean }
  | {
      readonly type: 'process-ended';
      readonly number: number;
      readonly logPath: string;
      readonly state: BackgroundState;
    }
  | { readonly type: 'build-progressed'; readonly message: string }
  | { readonly type: 'diagnostic-added'; readonly path: string; readonly reason: string };

export type WorkspaceEventListener = (event: WorkspaceEvent) => void;

/* What the service answers, as its API.md has it. */

export interface ServiceStatus {
  readonly tenant: string;
  readonly version: string;
  readonly backend: string;
  readonly isolation: string;
  readonly model: string;
  readonly ttlMs: number;
  readonly permissionMode: PermissionMode;
  readonly features: { readonly bash: boolean; readonly mcps: boolean };
  readonly chats: { readonly running: number };
  readonly uptimeMs: number;
  readonly isDraining: boolean;
}

export interface Workspace {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly status: 'open' | 'closed';
  readonly isInUse: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly ageMs: number;
  readonly evictsInMs: number | null;
}

export interface WorkspaceStatus {
  readonly backend: string;
  readonly workdir: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Diagnostic {
  readonly kind: string;
  readonly path: string;
  readonly reason: string;
  readonly severity: string;
}

export type PermissionMode = 'read-only' | 'ask' | 'full';

export interface Session {
  readonly agentId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly title: string;
  readonly state: 'idle' | 'running' | 'awaiting-approval';
  readonly permissionMode: PermissionMode;
  readonly messages: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly next?: string;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly server?: string;
}

export interface ToolList {
  readonly tools: readonly Tool[];
  readonly problems: readonly { readonly server: string; readonly message: string }[];
}

export interface Mcp {
  readonly name: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly env: readonly string[];
  readonly headers: readonly string[];
  readonly isStateful: boolean;
  readonly health: McpHealth;
  readonly stderrTail: string;
}

export interface McpHealth {
  readonly kind: 'idle' | 'connecting' | 'connected' | 'failed' | 'closed';
  readonly reason?: string;
  readonly retryAt?: string;
  readonly pid?: number;
}

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly body: string;
}

export interface FileEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly sizeBytes: number;
  readonly modifiedAt: string;
}

export interface OffloadedResult {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAt: string;
}

/** A message of `context.jsonl`, in AgentScope's form. */
export interface ContextMessage {
  readonly id: string;
  readonly name: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly Block[];
  readonly created_at?: string | null;
}

/** Content of a message or of a tool's result. What a block has beside its type depends on that. */
export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An event of the stream; what it has beside these depends on its type. */
export interface ServiceEvent {
  readonly type: string;
  readonly at: string;
  readonly workspaceId?: string;
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly [field: string]: unknown;
}

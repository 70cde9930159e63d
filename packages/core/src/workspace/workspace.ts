import type { Backend } from '../backend/backend.ts';
import type { Diagnostic } from '../events/diagnostics.ts';
import type { McpDeclarationInput } from '../mcp/declaration.ts';
import type { MCPClient } from '../mcp/mcp-client.ts';
import type { Message } from '../messages/message.ts';
import type { Offloader } from '../offload/offloader.ts';
import type { Skill, SkillSource } from '../skills/skill.ts';
import type { Tool } from '../tools/tool.ts';
import type { Scope } from '../scope.ts';

/** A workspace as one agent or session uses it. The workspace itself is the unscoped session. */
export interface WorkspaceSession extends Offloader {
  readonly scope: Scope;
  /** Absolute POSIX path of the workspace, as the agent sees it. */
  readonly workdir: string;
  /** Files, processes and search where the agent's disk is, for tools of one's own: `hold()` while they work. */
  readonly backend: Backend;
  /** Keeps the workspace in use until it is disposed. */
  hold(): Disposable;

  /** Bash, Read, Write, Edit, Glob and Grep, bound to this session. The same objects each time. */
  listTools(): Promise<readonly Tool[]>;
  /** Clients of the servers declared for this scope, not yet connected; the host's own come last. */
  listMcps(): Promise<readonly MCPClient[]>;
  /** The agent's skills, in the order of their names. */
  listSkills(): Promise<readonly Skill[]>;
  /** The messages that were offloaded, oldest first. What is no message is in the diagnostics. */
  readContext(sessionId: string): Promise<readonly Message[]>;
  /** One `<workspace>` element for the system prompt. */
  getInstructions(): Promise<string>;

  /**
   * Declares MCP servers for this scope: ours, AgentScope's or standard `mcpServers` JSON. The same
   * declaration again changes nothing.
   *
   * @throws `mcp-declaration-invalid`, `mcp-exists`, `state-file-invalid`
   */
  addMcp(declaration: McpDeclarationInput): Promise<void>;
  /** Removes a server and ends its processes. @throws `mcp-not-found` */
  removeMcp(name: string): Promise<void>;
  /**
   * Copies a skill into the workspace. One with the same content changes nothing.
   *
   * @throws `skill-invalid`, `archive-rejected`, `limit-exceeded`
   */
  addSkill(source: SkillSource): Promise<Skill>;
  /** @throws `skill-not-found` */
  removeSkill(name: string): Promise<void>;
}

export type WorkspaceStatus = 'new' | 'initializing' | 'ready' | 'closing' | 'closed';

/** A place for an agent to work. */
export interface Workspace extends WorkspaceSession, AsyncDisposable {
  readonly workspaceId: string;
  readonly status: WorkspaceStatus;
  /** Initialized, not closed, and its disk within reach. */
  readonly isAlive: boolean;
  /** Nothing was there before `initialize()`, which seeded it. */
  readonly isNew: boolean;
  /** Its data outlives `close()`. */
  readonly isPersistent: boolean;
  readonly diagnostics: readonly Diagnostic[];

  /** Starts or finds what is behind the workspace. One at a time; a second call joins the first. */
  initialize(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Ends every process and lets go. The data stays. Idempotent, and may be called again where it failed. */
  close(): Promise<void>;
  /** Empties MCPs, skills, sessions and data; with `files`, everything else in the workdir too. */
  reset(options?: { readonly files?: boolean | undefined }): Promise<void>;
  /** `close()`, then removes what is behind the workspace, its data included. */
  destroy(): Promise<void>;

  /** A view bound to an agent and session. */
  session(scope: Scope): WorkspaceSession;
  /** Forgets a session: its files, servers and declarations. Other sessions keep their media. */
  purgeSession(sessionId: string): Promise<void>;
  /** Forgets an agent: its skills, servers and declarations. */
  purgeAgent(agentId: string): Promise<void>;

  /** A hold, a call, a stream or a background process is under way. */
  readonly isInUse: boolean;
  /** Milliseconds since the epoch; now, while it is in use. */
  readonly lastUsedAt: number;
  /** As `lastUsedAt`, leaving out commands that merely run in the background. */
  readonly lastWorkAt: number;
}

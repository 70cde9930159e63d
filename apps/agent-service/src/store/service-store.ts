import type { CompactionState } from '@agent-workspace/ai-sdk';
import type { UIMessage, UIMessageChunk } from 'ai';
import type { PermissionMode } from '../options.ts';

/** A session of one tenant's agent. Two tenants may have the same ids. */
export interface SessionKey {
  readonly tenant: string;
  readonly agentId: string;
  readonly sessionId: string;
}

export interface SessionRecord {
  readonly agentId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  /** The beginning of its first message. */
  readonly title: string;
  readonly permissionMode: PermissionMode;
  /** Its last message has calls that wait for an answer. */
  readonly isAwaitingApproval: boolean;
  /** A replica has a turn of it under way: another one, as far as this one knows of none. */
  readonly hasTurn: boolean;
  /** How many messages it has. */
  readonly messages: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Where it stands in the list: see {@link ListSessionsOptions.before}. */
  readonly cursor: string;
}

export interface WorkspaceRecord {
  readonly workspaceId: string;
  /** Who it was made for. */
  readonly agentId: string;
  readonly sessionId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

export interface ListSessionsOptions {
  readonly agentId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly limit: number;
  /** Only what comes after the session with this cursor. */
  readonly before?: string | undefined;
}

/** A message, and where it stands among those of its session. */
export interface PlacedMessage {
  readonly position: number;
  readonly message: UIMessage;
}

/**
 * What the service remembers beside the workspaces: whose they are, and the histories of sessions. A turn's chunks
 * are kept as they come; when the turn ends, its message takes their place. So what is there of
 * chunks while no turn is under way is what a turn left that was torn.
 *
 * A session, its messages and chunks are written in a turn that was claimed. Once that is lost, or the session is gone,
 * nothing is written.
 */
export interface ServiceStore extends AsyncDisposable {
  /** @throws where the store is away */
  check(): Promise<void>;

  findSession(key: SessionKey): Promise<SessionRecord | undefined>;
  /** Newest first. */
  listSessions(tenant: string, options: ListSessionsOptions): Promise<readonly SessionRecord[]>;
  /** Makes it, or changes what is given. The title of one that has one stays. */
  saveSession(key: SessionKey, fields: Pick<SessionRecord, 'workspaceId' | 'title' | 'permissionMode'>): Promise<void>;
  deleteSession(key: SessionKey): Promise<void>;

  messages(key: SessionKey): Promise<readonly UIMessage[]>;
  /** Puts messages in their places. Those from `keep` on that are not given are gone. */
  putMessages(key: SessionKey, messages: readonly PlacedMessage[], keep: number): Promise<void>;

  /**
   * @param onLost the turn may be another replica's from now on: this one was out of reach for too long
   * @returns `false` while another replica has a turn of the session
   */
  claimTurn(key: SessionKey, onLost: (error: Error) => void): Promise<boolean>;
  appendChunk(key: SessionKey, chunk: UIMessageChunk): Promise<void>;
  /** Of the turn under way, or of one that was torn. */
  chunks(key: SessionKey): Promise<readonly UIMessageChunk[]>;
  /** Puts the turn's message, if it came to one, in the place of its chunks. */
  endTurn(key: SessionKey, message: PlacedMessage | undefined): Promise<void>;
  releaseTurn(key: SessionKey): Promise<void>;

  loadCompaction(key: SessionKey): Promise<CompactionState | undefined>;
  saveCompaction(key: SessionKey, state: CompactionState): Promise<void>;

  /** Records that a workspace is a tenant's, and was used just now. */
  noteWorkspace(tenant: string, workspace: Omit<WorkspaceRecord, 'createdAt' | 'lastUsedAt'>): Promise<void>;
  findWorkspace(tenant: string, workspaceId: string): Promise<WorkspaceRecord | undefined>;
  /** Last used first. */
  listWorkspaces(tenant: string): Promise<readonly WorkspaceRecord[]>;
  /** Forgets it with its sessions. */
  deleteWorkspace(tenant: string, workspaceId: string): Promise<void>;
}

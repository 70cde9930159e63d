import type { Backend } from '../backend/backend.ts';
import { SessionMismatchError } from '../errors/session-mismatch-error.ts';
import type { McpDeclarationInput } from '../mcp/declaration.ts';
import type { MCPClient } from '../mcp/mcp-client.ts';
import type { DataBlock, ToolResultBlock } from '../messages/blocks.ts';
import type { Message } from '../messages/message.ts';
import type { Skill, SkillSource } from '../skills/skill.ts';
import type { Tool } from '../tools/tool.ts';
import type { Scope } from '../scope.ts';
import type { WorkspaceSession } from './workspace.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/**
 * What agents and users do with a workspace, for one scope: every method finds the parts of the
 * workspace by `use`, which throws if it is not open.
 */
export abstract class SessionBase implements WorkspaceSession {
  abstract readonly scope: Scope;
  abstract readonly workdir: string;
  abstract readonly backend: Backend;
  abstract hold(): Disposable;

  /** Runs a method's work on the open workspace, which counts as its use. */
  protected abstract use<T>(method: string, work: (parts: WorkspaceParts) => Promise<T>): Promise<T>;

  async listTools(): Promise<readonly Tool[]> {
    return this.use('listTools', (parts) => parts.toolsOf(this.scope));
  }

  async listMcps(): Promise<readonly MCPClient[]> {
    return this.use('listMcps', (parts) => parts.mcps.list(this.scope));
  }

  async listSkills(): Promise<readonly Skill[]> {
    return this.use('listSkills', (parts) => parts.skills.list(this.scope.agentId));
  }

  async getInstructions(): Promise<string> {
    return this.use('getInstructions', async (parts) => parts.instructions());
  }

  async addMcp(declaration: McpDeclarationInput): Promise<void> {
    await this.use('addMcp', (parts) => parts.mcps.add(this.scope, declaration));
  }

  async removeMcp(name: string): Promise<void> {
    await this.use('removeMcp', (parts) => parts.mcps.remove(this.scope, name));
  }

  async addSkill(source: SkillSource): Promise<Skill> {
    return this.use('addSkill', (parts) => parts.skills.add(source, this.scope.agentId));
  }

  async removeSkill(name: string): Promise<void> {
    await this.use('removeSkill', (parts) => parts.skills.remove(name, this.scope.agentId));
  }

  async offloadContext(sessionId: string, messages: readonly Message[]): Promise<string> {
    this.#checkSession(sessionId);
    return this.use('offloadContext', (parts) => parts.contexts.append(sessionId, messages));
  }

  async offloadToolResult(sessionId: string, result: ToolResultBlock): Promise<string> {
    this.#checkSession(sessionId);
    return this.use('offloadToolResult', (parts) => parts.toolResults.write(sessionId, result));
  }

  async offloadDataBlock(block: DataBlock): Promise<DataBlock> {
    return this.use('offloadDataBlock', (parts) => parts.media.offload(block));
  }

  async readContext(sessionId: string): Promise<readonly Message[]> {
    this.#checkSession(sessionId);
    return this.use('readContext', (parts) => Array.fromAsync(parts.contexts.read(sessionId)));
  }

  #checkSession(sessionId: string): void {
    const bound = this.scope.sessionId;
    if (bound !== undefined && bound !== sessionId) {
      throw new SessionMismatchError({ boundSessionId: bound, givenSessionId: sessionId });
    }
  }
}

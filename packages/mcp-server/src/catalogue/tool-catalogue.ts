import type { Logger, MCPClient, MCPTool, Skill, Tool, WorkspaceSession } from '@agent-workspace/core';
import { CallGate, SKILL_VIEWER_NAME, skillViewer, Toolkit } from '@agent-workspace/toolkit';
import type { Tool as McpToolDescription } from '@modelcontextprotocol/sdk/types.js';
import { headOf } from '../content/byte-text.ts';
import { orAborted } from '../workspace-starter.ts';
import { describedBuiltins } from './builtin-tools.ts';
import { describeTool } from './describe-tool.ts';
import { nameFilter, type NameFilter } from './name-filter.ts';
import { servedToolName } from './served-name.ts';

/**
 * A server is asked again when a client lists, and not more often: one whose answers differ each
 * time would else have client and server ask each other for ever.
 */
const MIN_LISTING_INTERVAL_MS = 5_000;

/** Of a description, which is in front of the model all the time. */
const MAX_SKILL_LIST_BYTES = 8 * 1024;

export interface ToolCatalogueOptions {
  /** Names and patterns of what is served. Default: everything. */
  readonly tools: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  /** What is listed has changed. */
  readonly onToolsChanged: () => void;
  readonly onSkillsChanged: () => void;
  /** A server of the workspace could not be asked for its tools. */
  readonly onProblem: (server: string, error: unknown) => void;
  readonly logger: Logger;
}

/** What is served as it is known now, and what runs it. */
interface Offer {
  readonly tools: readonly Tool[];
  readonly toolkit: Toolkit;
}

/**
 * The tools and skills that a connection is served: the six as described before the workspace is
 * there; then its own, and those of its MCP servers as soon as they have answered.
 */
export class ToolCatalogue {
  readonly #options: ToolCatalogueOptions;
  readonly #isServed: NameFilter;
  readonly #gate = new CallGate();
  #session: WorkspaceSession | undefined;
  #builtins: readonly Tool[];
  #skills: readonly Skill[] = [];
  #nested: ReadonlyMap<string, readonly Tool[]> = new Map();
  #offer: Offer | undefined;
  #listing: Promise<void> | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  readonly #problems = new Map<string, string>();
  #announced: string;

  constructor(options: ToolCatalogueOptions) {
    this.#options = options;
    this.#isServed = nameFilter(options.tools);
    this.#builtins = describedBuiltins();
    this.#announced = this.#fingerprint();
  }

  /** The tools as they are known now, in a stable order. */
  get tools(): readonly Tool[] {
    return this.#current().tools;
  }

  get descriptions(): readonly McpToolDescription[] {
    return this.tools.map(describeTool);
  }

  get skills(): readonly Skill[] {
    return this.#skills;
  }

  /** Whether a tool of this name would be served, if the workspace has one. */
  mayHave(name: string): boolean {
    return this.#isServed(name);
  }

  /** Takes what a workspace has. Its servers are asked in the background. */
  async attach(session: WorkspaceSession): Promise<void> {
    this.#session = session;
    this.#builtins = await session.listTools();
    this.#nested = new Map();
    this.#offer = undefined;
    this.#listedAt = Number.NEGATIVE_INFINITY;
    await this.refreshSkills();
    this.refresh();
  }

  /** Looks in the background for what has changed. */
  refresh(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#listing ??= this.#list(session).finally(() => {
      this.#listing = undefined;
    });
  }

  /** Waits until the servers have been asked that are being asked. @throws the signal's reason */
  async settled(signal?: AbortSignal): Promise<void> {
    if (this.#listing !== undefined) await orAborted(this.#listing, signal);
  }

  /** Reads the skills anew, since agents write them. */
  async refreshSkills(): Promise<void> {
    const skills = await this.#session?.listSkills();
    if (skills === undefined) return;
    if (JSON.stringify(skills) === JSON.stringify(this.#skills)) return;
    this.#skills = skills;
    this.#options.onSkillsChanged();
    this.#announceTools();
  }

  /** What runs the tool of this name: permissions and turns are its. `undefined` if there is none. */
  async toolkitFor(name: string, signal?: AbortSignal): Promise<Toolkit | undefined> {
    if (name === SKILL_VIEWER_NAME) await this.refreshSkills();
    const has = (): boolean => this.tools.some((tool) => tool.name === name);
    if (!has()) await this.settled(signal);
    if (!has()) return undefined;
    return this.#current().toolkit;
  }

  #current(): Offer {
    if (this.#offer === undefined) {
      const { isReadOnly } = this.#options;
      const tools = this.#all().filter((tool) => this.#isServed(tool.name) && (!isReadOnly || tool.isReadOnly));
      const permissions = { mode: isReadOnly ? 'read-only' : 'full' } as const;
      this.#offer = { tools, toolkit: new Toolkit({ tools, gate: this.#gate, permissions }) };
    }
    return this.#offer;
  }

  #all(): readonly Tool[] {
    const servers = [...this.#nested].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return [
      ...this.#builtins,
      ...(this.#skills.length > 0 ? [viewerOf(this.#skills)] : []),
      ...servers.flatMap(([, tools]) => tools),
    ];
  }

  async #list(session: WorkspaceSession): Promise<void> {
    try {
      await this.refreshSkills();
      if (performance.now() - this.#listedAt >= MIN_LISTING_INTERVAL_MS) await this.#askServers(session);
    } catch (error) {
      this.#options.logger.warn('What the workspace offers could not be listed.', { error });
    }
  }

  async #askServers(session: WorkspaceSession): Promise<void> {
    const clients = await session.listMcps();
    const names = new Set(clients.map(({ name }) => name));
    this.#nested = new Map([...this.#nested].filter(([name]) => names.has(name)));
    await Promise.all(clients.map(async (client) => await this.#askServer(client)));
    this.#listedAt = performance.now();
    this.#announceTools();
  }

  /** A server that fails keeps the others from nothing, and its tools stay as they were last known. */
  async #askServer(client: MCPClient): Promise<void> {
    const { name } = client;
    try {
      const tools = (await client.listTools()).map(served).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      this.#nested = new Map([...this.#nested, [name, tools]]);
      this.#problems.delete(name);
      this.#announceTools();
    } catch (error) {
      const reason = String(error);
      if (this.#problems.get(name) !== reason) this.#options.onProblem(name, error);
      this.#problems.set(name, reason);
    }
  }

  #fingerprint(): string {
    return JSON.stringify(this.descriptions);
  }

  #announceTools(): void {
    this.#offer = undefined;
    const now = this.#fingerprint();
    if (now === this.#announced) return;
    this.#announced = now;
    this.#options.onToolsChanged();
  }
}

/** With the list of what there is, since a client has no other place for it in front of its model. */
function viewerOf(skills: readonly Skill[]): Tool {
  const viewer = skillViewer(skills);
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  return { ...viewer, description: `${viewer.description} There are:\n${headOf(lines, MAX_SKILL_LIST_BYTES)}` };
}

/** The same tool by the name that clients see. */
function served(tool: MCPTool): MCPTool {
  return {
    name: servedToolName(tool.serverName, tool.toolName),
    description: tool.description,
    inputSchema: tool.inputSchema,
    annotations: tool.annotations,
    isReadOnly: tool.isReadOnly,
    isConcurrencySafe: tool.isConcurrencySafe,
    isSelfPaging: tool.isSelfPaging,
    checksInput: tool.checksInput,
    serverName: tool.serverName,
    toolName: tool.toolName,
    mcpTool: tool.mcpTool,
    call: (input, options) => tool.call(input, options),
  };
}

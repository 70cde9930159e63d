import {
  type MCPClient,
  type Skill,
  type Tool,
  type ToolCallOptions,
  type ToolChunk,
  ToolkitOptionsInvalidError,
  type WorkspaceSession,
} from '@agent-workspace/core';
import { CallGate } from './call-gate.ts';
import { CallRunner } from './call-runner.ts';
import { InputChecker } from './input-checker.ts';
import { judge, type Permissions, refusalOf, type Verdict } from './permissions.ts';
import type { RenameTool } from './rename-tool.ts';
import { RESET_TOOLS_NAME, resetTools } from './reset-tools.ts';
import type { SkillOrLoader } from './skill-loader.ts';
import { skillViewer } from './skill-viewer.ts';
import { indexByName, ToolCatalog, type ToolEntry, type ToolkitProblem } from './tool-catalog.ts';
import { BASIC_GROUP, checkGroupNames, type ToolGroup } from './tool-group.ts';
import type { ToolHooks } from './tool-hooks.ts';
import { textChunk } from './tool-output.ts';

export interface ToolkitOptions {
  /** Tools of any origin, such as a workspace's `listTools()`. Always active. */
  readonly tools?: readonly Tool[] | undefined;
  /** Servers whose tools are offered under their names `mcp__{server}__{tool}`. Always active. */
  readonly mcps?: readonly MCPClient[] | undefined;
  /** Skills, or who gives them, offered through the tool `Skill`. Always active. */
  readonly skillsOrLoaders?: readonly SkillOrLoader[] | undefined;
  /** What the model activates as it needs it, with the tool `reset_tools`. */
  readonly toolGroups?: readonly ToolGroup[] | undefined;
  /**
   * The names of the active groups, kept by whoever passes it; toolkits that share it agree on them.
   * Default: a set of its own, with the groups that are `active`.
   */
  readonly activeGroups?: Set<string> | undefined;
  /** Which calls run. Default: all. */
  readonly permissions?: Permissions | undefined;
  /** Code around every call. */
  readonly hooks?: ToolHooks | undefined;
  /** Names for tools whose own are taken or do not suit. */
  readonly rename?: RenameTool | undefined;
  /** Where tools made by `defineTool` work. Default: none, and those that need one fail. */
  readonly session?: WorkspaceSession | undefined;
  /**
   * Decides which calls run at once. Toolkits over the same files share one. Default: a gate of
   * its own.
   */
  readonly gate?: CallGate | undefined;
}

export interface ListOptions {
  /** The tools of groups that are not active, too. Their servers are started for it. Default `false`. */
  readonly includeInactive?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RunOptions extends ToolCallOptions {
  /** Somebody has been asked by other means and agrees to this call. Default `false`. */
  readonly isApproved?: boolean | undefined;
}

/** What an agent can call: tools, those of MCP servers, and skills, as one list. */
export class Toolkit {
  readonly #catalog: ToolCatalog;
  readonly #groups: readonly ToolGroup[];
  readonly #active: Set<string>;
  readonly #permissions: Permissions;
  readonly #runner: CallRunner;
  readonly #skillViewer: ToolEntry | undefined;
  readonly #resetTools: ToolEntry | undefined;
  readonly #fixed: readonly ToolEntry[];
  /** The tools of each group's servers, as last heard. */
  readonly #ofServers = new Map<string, readonly ToolEntry[]>();
  #known: ReadonlyMap<string, ToolEntry>;
  readonly #unusableSchemas = new Map<string, ToolkitProblem>();
  #problems: readonly ToolkitProblem[] = [];

  /** @throws `tool-name-conflict`, `toolkit-options-invalid` */
  constructor(options: ToolkitOptions = {}) {
    const { tools, mcps, skillsOrLoaders, toolGroups = [] } = options;
    checkGroupNames(toolGroups);
    const basic: ToolGroup = { name: BASIC_GROUP, description: '', tools, mcps, skillsOrLoaders };
    this.#groups = toolGroups;
    this.#active = options.activeGroups ?? new Set(toolGroups.filter(({ active }) => active).map(({ name }) => name));
    this.#catalog = new ToolCatalog([basic, ...toolGroups], options.rename);
    this.#permissions = options.permissions ?? {};
    this.#runner = new CallRunner({
      permissions: this.#permissions,
      hooks: options.hooks ?? {},
      gate: options.gate ?? new CallGate(),
      session: options.session,
      inputChecker: new InputChecker({
        onUnusableSchema: ({ name }, error) =>
          this.#unusableSchemas.set(name, { source: `the input schema of ${name}`, error }),
      }),
    });
    const own = { group: BASIC_GROUP };
    if (this.#catalog.maySkills()) {
      const tool = skillViewer(async () => (await this.#catalog.skills(this.#activeNames())).items);
      this.#skillViewer = { tool, origin: own, source: 'the skills' };
    }
    if (toolGroups.length > 0) {
      const tool = resetTools(toolGroups, async (names) => {
        this.activate(names);
        return (await this.#catalog.skills(names)).items;
      });
      this.#resetTools = { tool, origin: own, source: 'the groups' };
    }
    const names = [BASIC_GROUP, ...toolGroups.map(({ name }) => name)];
    this.#fixed = [...names.flatMap((name) => this.#catalog.toolsOf(name)), ...this.#ownTools()];
    this.#known = indexByName(this.#fixed);
  }

  /** What the last `list()` could not offer, and input schemas that could not be worked with. */
  get problems(): readonly ToolkitProblem[] {
    return [...this.#problems, ...this.#unusableSchemas.values()];
  }

  /** The groups that are active besides `basic`, in their order. */
  get activeGroups(): readonly string[] {
    return this.#groups.map(({ name }) => name).filter((name) => this.#active.has(name));
  }

  /**
   * Makes these groups active, and no others.
   *
   * @throws `toolkit-options-invalid` where there is no such group; nothing has changed then
   */
  activate(names: readonly string[]): void {
    const unknown = names.find((name) => this.#groups.every((group) => group.name !== name));
    if (unknown !== undefined) {
      const reason = `there is no group called ${JSON.stringify(unknown)}.`;
      throw new ToolkitOptionsInvalidError({ option: 'activeGroups', reason });
    }
    this.#active.clear();
    for (const name of names) this.#active.add(name);
  }

  /** The skills of the active groups, asked for anew. */
  async listSkills(): Promise<readonly Skill[]> {
    return (await this.#catalog.skills(this.#activeNames())).items;
  }

  /**
   * Every tool that may be called: those given, in their order, `Skill` where there are skills,
   * `reset_tools` where there are groups, those of each server by name, then each active group in
   * the same way. Servers are asked anew and all at once; one that fails is in {@link problems} and
   * takes no other down.
   *
   * @throws `tool-name-conflict`; the signal's reason
   */
  async list(options: ListOptions = {}): Promise<readonly Tool[]> {
    const { includeInactive = false, signal } = options;
    const names = includeInactive ? [BASIC_GROUP, ...this.#groups.map(({ name }) => name)] : this.#activeNames();
    const [skills, ...servers] = await Promise.all([
      this.#catalog.skills(names),
      ...names.map(async (name) => await this.#catalog.serverTools(name, signal)),
    ]);
    signal?.throwIfAborted();
    const entries = names.flatMap((name, position) => [
      ...this.#catalog.toolsOf(name),
      ...(name === BASIC_GROUP ? this.#ownTools({ isSkillful: skills.items.length > 0 }) : []),
      ...(servers[position]?.items ?? []),
    ]);
    for (const [position, name] of names.entries()) this.#ofServers.set(name, servers[position]?.items ?? []);
    this.#known = indexByName([...this.#fixed, ...[...this.#ofServers.values()].flat()]);
    this.#problems = [...skills.problems, ...servers.flatMap(({ problems }) => problems), ...this.#idleRules()];
    return entries.map(({ tool }) => tool).filter((tool) => refusalOf(tool, this.#permissions) === undefined);
  }

  /** Whether a tool can be called now: it is known, and its group is active. */
  isActive(name: string): boolean {
    const entry = this.#known.get(name);
    return entry !== undefined && this.#isActive(entry);
  }

  /**
   * What the permissions say of a call, for adapters that ask for approvals by themselves: they then
   * `run` it with `isApproved`. `'allow'` where there is no such tool now, which `run` tells the model.
   *
   * @throws what a rule throws
   */
  async judge(name: string, input: unknown, options: ToolCallOptions = {}): Promise<Verdict> {
    const entry = await this.#find(name, options.signal);
    if (entry === undefined || !this.#isActive(entry)) return 'allow';
    return await judge({ name, tool: entry.tool, input, ...options }, this.#permissions);
  }

  /**
   * Runs a tool: hooks, a check of the arguments, permission, its turn, the tool. One that is not
   * concurrency-safe waits for the calls before it and keeps later ones waiting; the others run side
   * by side. What a model can act on is a chunk with `state: 'error'`, and a call that may not run one
   * with `state: 'denied'`; exceptions are the tool's.
   *
   * @throws the signal's reason, where it is aborted before the tool's turn comes
   */
  async *run(name: string, input: unknown, options: RunOptions = {}): AsyncIterable<ToolChunk> {
    const { toolCallId, signal, isApproved = false } = options;
    const entry = await this.#find(name, signal);
    if (entry === undefined) {
      yield textChunk(this.#unknownTool(name), 'error');
      return;
    }
    if (!this.#isActive(entry)) {
      const text =
        `${name} belongs to the group ${entry.origin.group}, which is not active. Activate it with ` +
        `${RESET_TOOLS_NAME}, naming all groups that you need, and call it in the step after.`;
      yield textChunk(text, 'error');
      return;
    }
    yield* this.#runner.run({ name, tool: entry.tool, input, toolCallId, signal }, isApproved);
  }

  async #find(name: string, signal: AbortSignal | undefined): Promise<ToolEntry | undefined> {
    if (!this.#known.has(name)) await this.list({ signal });
    return this.#known.get(name);
  }

  #ownTools({ isSkillful = true }: { readonly isSkillful?: boolean } = {}): ToolEntry[] {
    const viewer = isSkillful ? this.#skillViewer : undefined;
    return [viewer, this.#resetTools].filter((entry) => entry !== undefined);
  }

  #activeNames(): string[] {
    return [BASIC_GROUP, ...this.activeGroups];
  }

  #isActive({ origin }: ToolEntry): boolean {
    return origin.group === BASIC_GROUP || this.#active.has(origin.group);
  }

  /** A rule for a tool that is misspelt guards nothing. Those of servers may come later. */
  #idleRules(): ToolkitProblem[] {
    const names = Object.keys(this.#permissions.tools ?? {});
    return names
      .filter((name) => !this.#known.has(name) && !name.startsWith('mcp__'))
      .map((name) => {
        const reason = `there is no tool called ${JSON.stringify(name)}. Names are as the model sees them.`;
        const error = new ToolkitOptionsInvalidError({ option: 'permissions.tools', reason });
        return { source: `the permissions of ${name}`, error };
      });
  }

  #unknownTool(name: string): string {
    const known = [...this.#known.values()].filter((entry) => this.#isActive(entry)).map(({ tool }) => tool.name);
    return `There is no tool called ${JSON.stringify(name)}. There are: ${known.join(', ') || 'none'}.`;
  }
}

import { type MCPClient, type Skill, SkillInvalidError, type Tool, ToolNameConflictError } from '@agent-workspace/core';
import { renamed, type RenameTool, type ToolOrigin } from './rename-tool.ts';
import { isSkillLoader, loadSkills, type SkillOrLoader } from './skill-loader.ts';
import { BASIC_GROUP, type ToolGroup } from './tool-group.ts';

/** Something that could not be offered. The rest was. */
export interface ToolkitProblem {
  /** The MCP server, if it is one that could not be asked. */
  readonly server?: string | undefined;
  /** What it is about, in words. */
  readonly source: string;
  readonly error: unknown;
}

/** A tool, and where it is from. */
export interface ToolEntry {
  readonly tool: Tool;
  readonly origin: ToolOrigin;
  /** The origin in words. */
  readonly source: string;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly problems: readonly ToolkitProblem[];
}

/** The tools, servers and skills of groups, each under the name that the model sees. */
export class ToolCatalog {
  readonly #groups: ReadonlyMap<string, ToolGroup>;
  readonly #rename: RenameTool | undefined;
  readonly #ofGroup = new Map<string, readonly ToolEntry[]>();

  /** @throws `toolkit-options-invalid` where a new name is none */
  constructor(groups: readonly ToolGroup[], rename: RenameTool | undefined) {
    this.#groups = new Map(groups.map((group) => [group.name, group]));
    this.#rename = rename;
    for (const { name, tools = [] } of groups) {
      const source = name === BASIC_GROUP ? 'the tools given' : `the group ${JSON.stringify(name)}`;
      this.#ofGroup.set(
        name,
        tools.map((tool) => this.#entry(tool, { group: name }, source)),
      );
    }
  }

  /** The tools that a group was given, without asking anybody. */
  toolsOf(group: string): readonly ToolEntry[] {
    return this.#ofGroup.get(group) ?? [];
  }

  /** Whether a group may have skills: it was given some, or somebody who may. */
  maySkills(): boolean {
    return [...this.#groups.values()].some(({ skillsOrLoaders = [] }) => skillsOrLoaders.length > 0);
  }

  /** The tools of the servers of a group: server by server as given, those of each by name. */
  async serverTools(group: string, signal: AbortSignal | undefined): Promise<Listed<ToolEntry>> {
    const clients = this.#groups.get(group)?.mcps ?? [];
    const answers = await Promise.allSettled(clients.map(async (client) => await client.listTools({ signal })));
    signal?.throwIfAborted();
    const items: ToolEntry[] = [];
    const problems: ToolkitProblem[] = [];
    for (const [position, client] of clients.entries()) {
      const answer = answers[position];
      const source = `the MCP server ${JSON.stringify(client.name)}`;
      if (answer?.status === 'fulfilled') items.push(...this.#entriesOf(client, answer.value, { group, source }));
      if (answer?.status === 'rejected') problems.push({ server: client.name, source, error: answer.reason });
    }
    return { items, problems };
  }

  /** The skills of groups; of two with one name the first. */
  async skills(groups: readonly string[]): Promise<Listed<Skill>> {
    const byName = new Map<string, Skill>();
    const problems: ToolkitProblem[] = [];
    const sources = groups.flatMap((name) => this.#groups.get(name)?.skillsOrLoaders ?? []);
    const answers = await Promise.allSettled(sources.map(skillsOf));
    for (const answer of answers) {
      if (answer.status === 'rejected') problems.push({ source: 'a skill loader', error: answer.reason });
      for (const skill of answer.status === 'fulfilled' ? answer.value : []) {
        const { name, path } = skill;
        const isTaken = byName.has(name) && byName.get(name)?.path !== path;
        if (isTaken) {
          const reason = `another skill is called ${JSON.stringify(name)}, too`;
          problems.push({ source: `the skill ${name}`, error: new SkillInvalidError({ path, reason }) });
        }
        if (!byName.has(name)) byName.set(name, skill);
      }
    }
    return { items: [...byName.values()], problems };
  }

  #entriesOf(
    client: MCPClient,
    tools: readonly Tool[],
    { group, source }: { group: string; source: string },
  ): ToolEntry[] {
    const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return sorted.map((tool) => this.#entry(tool, { group, server: client.name }, source));
  }

  #entry(tool: Tool, origin: ToolOrigin, source: string): ToolEntry {
    return { tool: renamed(tool, this.#rename?.(tool, origin) ?? tool.name), origin, source };
  }
}

/** @throws `tool-name-conflict` */
export function indexByName(entries: readonly ToolEntry[]): ReadonlyMap<string, ToolEntry> {
  const byName = new Map<string, ToolEntry>();
  for (const entry of entries) {
    const { name } = entry.tool;
    const earlier = byName.get(name);
    if (earlier !== undefined) throw new ToolNameConflictError({ name, sources: [earlier.source, entry.source] });
    byName.set(name, entry);
  }
  return byName;
}

async function skillsOf(source: SkillOrLoader): Promise<readonly Skill[]> {
  return isSkillLoader(source) ? await loadSkills(source) : [source];
}

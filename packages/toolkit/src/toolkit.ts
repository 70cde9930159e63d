import {
  type MCPClient,
  type Skill,
  type Tool,
  type ToolCallOptions,
  type ToolChunk,
  ToolNameConflictError,
} from '@agent-workspace/core';
import { CallGate } from './call-gate.ts';
import { skillViewer } from './skill-viewer.ts';
import { textChunk } from './text-chunk.ts';

export interface ToolkitOptions {
  /** Tools of any origin, such as a workspace's `listTools()`. */
  readonly tools?: readonly Tool[] | undefined;
  /** Servers whose tools are offered under their names `mcp__{server}__{tool}`. */
  readonly mcps?: readonly MCPClient[] | undefined;
  /** Offered through the tool `Skill`. */
  readonly skills?: readonly Skill[] | undefined;
  /**
   * Decides which calls run at once. Toolkits over the same files share one. Default: a gate of
   * its own.
   */
  readonly gate?: CallGate | undefined;
}

/** Something that could not be offered. The rest was. */
export interface ToolkitProblem {
  /** The name of the MCP server. */
  readonly server: string;
  readonly error: unknown;
}

interface Entry {
  readonly tool: Tool;
  readonly source: string;
}

/** What an agent can call: tools, those of MCP servers, and skills, as one list. */
export class Toolkit {
  readonly #own: readonly Entry[];
  readonly #mcps: readonly MCPClient[];
  readonly #gate: CallGate;
  #listed: ReadonlyMap<string, Entry> = new Map();
  #problems: readonly ToolkitProblem[] = [];

  /** @throws `tool-name-conflict` */
  constructor(options: ToolkitOptions = {}) {
    const own: Entry[] = (options.tools ?? []).map((tool) => ({ tool, source: 'the tools given' }));
    const skills = options.skills ?? [];
    if (skills.length > 0) own.push({ tool: skillViewer(skills), source: 'the skills' });
    index(own);
    this.#own = own;
    this.#mcps = options.mcps ?? [];
    this.#gate = options.gate ?? new CallGate();
  }

  /** Servers that the last `list()` could not ask. */
  get problems(): readonly ToolkitProblem[] {
    return this.#problems;
  }

  /**
   * Every tool: those given, in their order, `Skill` where there are skills, then those of each
   * server by name. Servers are asked anew and all at once; one that fails is in {@link problems}
   * and takes no other down.
   *
   * @throws `tool-name-conflict`; the signal's reason
   */
  async list(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly Tool[]> {
    const answers = await Promise.allSettled(this.#mcps.map(async (client) => await client.listTools(options)));
    options.signal?.throwIfAborted();
    const entries = [...this.#own];
    const problems: ToolkitProblem[] = [];
    for (const [position, client] of this.#mcps.entries()) {
      const answer = answers[position];
      if (answer === undefined) continue;
      if (answer.status === 'rejected') {
        problems.push({ server: client.name, error: answer.reason });
        continue;
      }
      const source = `the MCP server ${JSON.stringify(client.name)}`;
      const sorted = answer.value.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      entries.push(...sorted.map((tool) => ({ tool, source })));
    }
    this.#listed = index(entries);
    this.#problems = problems;
    return entries.map(({ tool }) => tool);
  }

  /**
   * Runs a tool. One that is not concurrency-safe waits for the calls before it and keeps later
   * ones waiting; the others run side by side. A tool checks its own arguments, a server those of
   * its tools. A name that is not there is a chunk with `state: 'error'`, since a model can act on
   * it; exceptions are the tool's.
   *
   * @throws the signal's reason, where it is aborted before the tool's turn comes
   */
  async *run(name: string, input: unknown, options: ToolCallOptions = {}): AsyncIterable<ToolChunk> {
    const tool = await this.#find(name, options.signal);
    if (tool === undefined) {
      const known = [...this.#listed.keys()].join(', ') || 'none';
      yield textChunk(`There is no tool called ${JSON.stringify(name)}. There are: ${known}.`, 'error');
      return;
    }
    const leave = await this.#gate.enter(tool.isConcurrencySafe, options.signal);
    try {
      yield* tool.call(input, options);
    } finally {
      leave();
    }
  }

  async #find(name: string, signal: AbortSignal | undefined): Promise<Tool | undefined> {
    const own = this.#own.find(({ tool }) => tool.name === name) ?? this.#listed.get(name);
    if (own !== undefined) return own.tool;
    await this.list({ signal });
    return this.#listed.get(name)?.tool;
  }
}

function index(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const byName = new Map<string, Entry>();
  for (const entry of entries) {
    const { name } = entry.tool;
    const earlier = byName.get(name);
    if (earlier !== undefined) throw new ToolNameConflictError({ name, sources: [earlier.source, entry.source] });
    byName.set(name, entry);
  }
  return byName;
}

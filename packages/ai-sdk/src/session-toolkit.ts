import type { MCPClient, Skill, Tool, WorkspaceSession } from '@agent-workspace/core';
import {
  CallGate,
  type Permissions,
  type RenameTool,
  type ToolGroup,
  type ToolHooks,
  Toolkit,
} from '@agent-workspace/toolkit';

/** What a session has, as flat lists to make groups of. */
export interface SessionResources {
  /** The session's and those given as `tools`. */
  readonly tools: readonly Tool[];
  readonly mcps: readonly MCPClient[];
  readonly skills: readonly Skill[];
}

export interface SessionToolkitOptions {
  readonly session: WorkspaceSession;
  /** Tools beside the session's, such as those of `defineTool`. */
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Groups that the model activates as it needs them, or how they are made of what the session has.
   * What a group takes is not always there any more.
   */
  readonly toolGroups?: readonly ToolGroup[] | ((resources: SessionResources) => readonly ToolGroup[]) | undefined;
  /** The names of the active groups, to be kept by whoever passes it. Default: a set for each call. */
  readonly activeGroups?: Set<string> | undefined;
  /** Which calls run, and which of them need an approval. Default: all run. */
  readonly permissions?: Permissions | undefined;
  /** Code around every call. */
  readonly hooks?: ToolHooks | undefined;
  /** Names for tools whose own are taken or do not suit. */
  readonly rename?: RenameTool | undefined;
}

/** Agents of one session take turns, so that no two of their calls get in each other's way. */
const gates = new WeakMap<WorkspaceSession, CallGate>();

export interface SessionToolkit {
  readonly toolkit: Toolkit;
  readonly hasGroups: boolean;
  /** The names of the active ones, to be given to the next toolkit of the same agent. */
  readonly activeGroups: Set<string>;
  /** The session's own tools. */
  readonly builtins: ReadonlySet<Tool>;
}

/** A toolkit over all that a session has now. @throws `tool-name-conflict`, `toolkit-options-invalid` */
export async function sessionToolkit(options: SessionToolkitOptions): Promise<SessionToolkit> {
  const { session, permissions, hooks, rename } = options;
  const [builtins, mcps, skills] = await Promise.all([session.listTools(), session.listMcps(), session.listSkills()]);
  const resources: SessionResources = { tools: [...builtins, ...(options.tools ?? [])], mcps, skills };
  const toolGroups =
    typeof options.toolGroups === 'function' ? options.toolGroups(resources) : (options.toolGroups ?? []);
  const activeGroups =
    options.activeGroups ?? new Set(toolGroups.filter(({ active }) => active).map(({ name }) => name));
  const gate = gates.get(session) ?? new CallGate();
  gates.set(session, gate);
  const basic = withoutGrouped(resources, toolGroups);
  const toolkit = new Toolkit({
    tools: basic.tools,
    mcps: basic.mcps,
    skillsOrLoaders: basic.skills,
    toolGroups,
    activeGroups,
    permissions,
    hooks,
    rename,
    session,
    gate,
  });
  return { toolkit, hasGroups: toolGroups.length > 0, activeGroups, builtins: new Set(builtins) };
}

function withoutGrouped({ tools, mcps, skills }: SessionResources, groups: readonly ToolGroup[]): SessionResources {
  const taken = {
    tools: new Set(groups.flatMap((group) => group.tools ?? [])),
    mcps: new Set(groups.flatMap((group) => group.mcps ?? []).map(({ name }) => name)),
    skills: new Set(
      groups
        .flatMap((group) => group.skillsOrLoaders ?? [])
        .flatMap((source) => (typeof source === 'object' && 'path' in source ? [source.path] : [])),
    ),
  };
  return {
    tools: tools.filter((tool) => !taken.tools.has(tool)),
    mcps: mcps.filter(({ name }) => !taken.mcps.has(name)),
    skills: skills.filter(({ path }) => !taken.skills.has(path)),
  };
}

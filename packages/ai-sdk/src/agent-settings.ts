import type { WorkspaceSession } from '@agent-workspace/core';
import { skillPrompt } from '@agent-workspace/toolkit';
import type { ToolLoopAgentSettings, ToolSet } from 'ai';
import { activeTools, type ActiveToolsOptions } from './active-tools.ts';
import { compaction, type CompactionOptions } from './compaction.ts';
import { composePrepareSteps } from './compose-prepare-steps.ts';
import { refreshInstructions, refreshTools } from './refresh-settings.ts';
import { type WorkspaceApproval, workspaceApproval, type WorkspaceApprovalOptions } from './workspace-approval.ts';
import { type OpenedTools, openTools, type WorkspaceToolsOptions } from './workspace-tools.ts';

export interface AgentSettingsOptions extends Omit<WorkspaceToolsOptions, 'session'> {
  /** Your own instructions, put after those of the workspace. */
  readonly instructions?: string | undefined;
  /** How the context is kept within a budget; `false` leaves it alone. Default: see {@link CompactionOptions}. */
  readonly compaction?: Omit<CompactionOptions, 'session' | 'toolNames'> | false | undefined;
  /** Whether calls of tools that are not the workspace's need an approval. */
  readonly approval?: WorkspaceApprovalOptions | undefined;
}

type Settings = ToolLoopAgentSettings<never, ToolSet>;

/** What a workspace contributes to a `ToolLoopAgent`. */
export interface AgentSettings {
  readonly tools: ToolSet;
  readonly instructions: string;
  readonly toolApproval: WorkspaceApproval;
  readonly prepareStep: NonNullable<Settings['prepareStep']>;
  readonly prepareCall: NonNullable<Settings['prepareCall']>;
}

/**
 * Everything that a workspace gives an agent, to be spread into `new ToolLoopAgent({ model, … })`.
 * Tools, servers and skills that come and go while the agent lives are taken up at its next call;
 * tools and instructions that you put beside or in place of ours stay yours. Which groups are active
 * is kept from call to call.
 *
 * @throws `tool-name-conflict`, `toolkit-options-invalid`
 */
export async function agentSettings(
  session: WorkspaceSession,
  options: AgentSettingsOptions = {},
): Promise<AgentSettings> {
  const initial = await load(session, options);
  const { activeGroups } = initial;
  let active: ActiveToolsOptions = { opened: initial, tools: initial.tools, activeTools: undefined };
  const compact =
    options.compaction === false
      ? undefined
      : compaction({ ...options.compaction, session, toolNames: Object.keys(initial.tools) });
  return {
    tools: initial.tools,
    instructions: initial.instructions,
    toolApproval: workspaceApproval(options.approval),
    prepareStep: composePrepareSteps(compact, () => {
      const names = activeTools(active);
      return names === undefined ? undefined : { activeTools: names };
    }),
    prepareCall: async (call) => {
      const current = await load(session, { ...options, activeGroups, signal: undefined });
      const refresh = { initial, current };
      const tools = refreshTools(call.tools, refresh);
      const instructions = refreshInstructions(call.instructions, refresh);
      active = { opened: current, tools, activeTools: call.activeTools };
      return { ...call, tools, ...(instructions === undefined ? {} : { instructions }) };
    },
  };
}

interface Loaded extends OpenedTools {
  readonly instructions: string;
}

async function load(session: WorkspaceSession, options: AgentSettingsOptions): Promise<Loaded> {
  const [opened, workspaceInstructions] = await Promise.all([
    openTools({ ...options, session }),
    session.getInstructions(),
  ]);
  const skills = await opened.toolkit.listSkills();
  const sections = [workspaceInstructions, skillPrompt(skills), options.instructions ?? ''];
  return { ...opened, instructions: sections.filter((section) => section !== '').join('\n\n') };
}

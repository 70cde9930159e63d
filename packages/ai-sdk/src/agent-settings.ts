import type { WorkspaceSession } from '@agent-workspace/core';
import { skillPrompt } from '@agent-workspace/toolkit';
import type { ToolLoopAgentSettings, ToolSet } from 'ai';
import { compaction, type CompactionOptions } from './compaction.ts';
import { refreshInstructions, refreshTools } from './refresh-settings.ts';
import { workspaceTools, type WorkspaceToolsOptions } from './workspace-tools.ts';

export interface AgentSettingsOptions extends Omit<WorkspaceToolsOptions, 'session'> {
  /** Your own instructions, put after those of the workspace. */
  readonly instructions?: string | undefined;
  /** How the context is kept within a budget; `false` leaves it alone. Default: see {@link CompactionOptions}. */
  readonly compaction?: Omit<CompactionOptions, 'session' | 'toolNames'> | false | undefined;
}

type Settings = ToolLoopAgentSettings<never, ToolSet>;

/** What a workspace contributes to a `ToolLoopAgent`. */
export interface AgentSettings {
  readonly tools: ToolSet;
  readonly instructions: string;
  readonly prepareStep: NonNullable<Settings['prepareStep']>;
  readonly prepareCall: NonNullable<Settings['prepareCall']>;
}

/**
 * Everything that a workspace gives an agent, to be spread into `new ToolLoopAgent({ model, … })`.
 * Tools, servers and skills that come and go while the agent lives are taken up at its next call;
 * tools and instructions that you put beside or in place of ours stay yours.
 *
 * @throws `tool-name-conflict`
 */
export async function agentSettings(
  session: WorkspaceSession,
  options: AgentSettingsOptions = {},
): Promise<AgentSettings> {
  const initial = await load(session, options);
  return {
    ...initial,
    prepareStep:
      options.compaction === false
        ? () => undefined
        : compaction({ ...options.compaction, session, toolNames: Object.keys(initial.tools) }),
    prepareCall: async (call) => {
      const refresh = { initial, current: await load(session, { ...options, signal: undefined }) };
      const instructions = refreshInstructions(call.instructions, refresh);
      return {
        ...call,
        tools: refreshTools(call.tools, refresh),
        ...(instructions === undefined ? {} : { instructions }),
      };
    },
  };
}

async function load(
  session: WorkspaceSession,
  options: AgentSettingsOptions,
): Promise<Pick<AgentSettings, 'tools' | 'instructions'>> {
  const [tools, instructions, skills] = await Promise.all([
    workspaceTools({ ...options, session }),
    session.getInstructions(),
    session.listSkills(),
  ]);
  const sections = [instructions, skillPrompt(skills), options.instructions ?? ''];
  return { tools, instructions: sections.filter((section) => section !== '').join('\n\n') };
}

import { agentSettings, type AgentSettingsOptions, type CompactionStore } from '@agent-workspace/ai-sdk';
import type { WorkspaceSession } from '@agent-workspace/core';
import { isStepCount, ToolLoopAgent, type ToolSet, type UIMessage } from 'ai';
import type { ModelSource } from '../model/model-source.ts';
import type { PermissionMode } from '../options.ts';

export interface MakeAgentOptions {
  readonly session: WorkspaceSession;
  readonly models: ModelSource;
  readonly messages: readonly UIMessage[];
  readonly permissionMode: PermissionMode;
  readonly contextBudgetTokens: number | undefined;
  readonly compactionStore: CompactionStore;
  readonly onProblem: AgentSettingsOptions['onProblem'];
}

/** An agent that goes round in circles is ended. */
const MOST_STEPS = 50;
const INSTRUCTIONS = 'When the user denies a call, do not try it again in another way; say what you would have done.';

/** The agent of one turn, with the tools of its session. */
export async function makeAgent(options: MakeAgentOptions): Promise<ToolLoopAgent<never, ToolSet>> {
  const { session, models, messages, permissionMode, contextBudgetTokens, compactionStore, onProblem } = options;
  const settings = await agentSettings(session, {
    instructions: INSTRUCTIONS,
    compaction: { contextBudgetTokens, store: compactionStore, summarize: models.summarize },
    permissions: { mode: permissionMode },
    onProblem,
  });
  return new ToolLoopAgent({
    model: models.forTurn(messages),
    stopWhen: isStepCount(MOST_STEPS),
    // The stream tells of it. By default it would be written to the console, with all that a provider was sent.
    onError: () => undefined,
    ...settings,
  });
}

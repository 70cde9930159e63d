export { agentSettings, type AgentSettings, type AgentSettingsOptions } from './agent-settings.ts';
export type {
  BashInput,
  BuiltinTools,
  EditInput,
  GlobInput,
  GrepInput,
  ReadInput,
  WorkspaceToolSet,
  WriteInput,
} from './builtin-tools.ts';
export { type CompactionState, type CompactionStore, memoryStore } from './compaction-state.ts';
export { compaction, type CompactionOptions, type CompactionStep } from './compaction.ts';
export { composePrepareSteps } from './compose-prepare-steps.ts';
export { estimateTokens } from './estimate-tokens.ts';
export { toSandboxSession } from './sandbox-session.ts';
export type { SessionResources, SessionToolkitOptions } from './session-toolkit.ts';
export { type Summarize, type SummarizeRequest, summarizeWithModel } from './summarize.ts';
export { toMessages, type ToMessagesOptions } from './to-messages.ts';
export { toModelOutput, type WorkspaceToolOutput } from './tool-output.ts';
export {
  type ApprovalRequest,
  type WorkspaceApproval,
  workspaceApproval,
  type WorkspaceApprovalOptions,
} from './workspace-approval.ts';
export { workspaceTools, type WorkspaceToolsOptions } from './workspace-tools.ts';

import {
  agentSettings,
  type AgentSettingsOptions,
  type Summarize,
  type WorkspaceToolOutput,
} from '@agent-workspace/ai-sdk';
import type { WorkspaceSession } from '@agent-workspace/core';
import { ToolLoopAgent } from 'ai';
import { analystScript } from './analyst-script.ts';
import type { ExecutedCall } from './progress.ts';
import { QUESTION } from './question.ts';
import { scriptedModel } from './scripted-model.ts';

/** Small, so that a short conversation shows how a context is compressed. */
const CONTEXT_BUDGET_TOKENS = { scripted: 9_000, real: 30_000 };

export interface AskAnalystOptions {
  readonly session: WorkspaceSession;
  /** An id for the AI gateway. Default: the scripted model. */
  readonly model: string | undefined;
  readonly onCall: (call: ExecutedCall) => void;
  readonly onProblem: AgentSettingsOptions['onProblem'];
}

/** Puts the question to an agent of the AI SDK that has the workspace's tools. */
export async function askAnalyst({ session, model, onCall, onProblem }: AskAnalystOptions): Promise<string> {
  const compaction =
    model === undefined
      ? { contextBudgetTokens: CONTEXT_BUDGET_TOKENS.scripted, keepLast: 2, summarize: listCalls }
      : { contextBudgetTokens: CONTEXT_BUDGET_TOKENS.real };
  const agent = new ToolLoopAgent({
    model: model ?? scriptedModel(analystScript(session.workdir)),
    ...(await agentSettings(session, { compaction, onProblem })),
    onToolExecutionEnd: ({ toolCall, toolOutput, toolExecutionMs }) => {
      const output = toolOutput.type === 'tool-result' ? (toolOutput.output as WorkspaceToolOutput) : undefined;
      onCall({ tool: toolCall.toolName, input: toolCall.input, output, ms: toolExecutionMs });
    },
  });
  const { text } = await agent.generate({ prompt: QUESTION });
  return text;
}

/** A summary without a model: what has been called. */
const listCalls: Summarize = ({ messages, previousSummary }) => {
  const calls = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content.filter((part) => part.type === 'tool-call') : [],
  );
  const lines = calls.map(({ toolName, input }) => `- called ${toolName} with ${JSON.stringify(input)}`);
  return [...(previousSummary === undefined ? [] : [previousSummary]), ...lines].join('\n');
};

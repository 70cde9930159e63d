import type { Toolkit } from '@agent-workspace/toolkit';
import type { ModelMessage, ToolApprovalStatus, ToolSet } from 'ai';

/** What the SDK tells of a call that is about to run. */
export interface ApprovalRequest {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly tools: ToolSet | undefined;
  readonly toolsContext: unknown;
  readonly runtimeContext: unknown;
  readonly messages: ModelMessage[];
}

/** Fits `toolApproval` of `generateText`, `streamText` and agents, whatever their tools. */
export type WorkspaceApproval = (request: ApprovalRequest) => Promise<ToolApprovalStatus>;

/** How one of our AI SDK tools is judged. */
interface Judged {
  readonly toolkit: Toolkit;
  /** Who is asked is the toolkit's `approve`, and not the user of the SDK. */
  readonly asksItself: boolean;
}

/** By the tools' `execute`, which a copy of a tool with other settings still has. */
const judgedByExecute = new WeakMap<object, Judged>();

/** Notes whose permissions a tool obeys. */
export function registerTool(execute: object, judged: Judged): void {
  judgedByExecute.set(execute, judged);
}

export interface WorkspaceApprovalOptions {
  /** For tools that are not a workspace's. Default: their own `needsApproval`. */
  readonly otherwise?: ((request: ApprovalRequest) => ToolApprovalStatus | PromiseLike<ToolApprovalStatus>) | undefined;
}

/**
 * A `toolApproval` for `generateText`, `streamText` and agents: the permissions that the workspace's
 * tools were given, asked of the SDK's user. A call that was approved runs without being asked for
 * again; where the permissions have an `approve` of their own, that one asks, and not the SDK.
 */
export function workspaceApproval(options: WorkspaceApprovalOptions = {}): WorkspaceApproval {
  return async (request) => {
    const { toolCall, tools } = request;
    const tool = tools !== undefined && Object.hasOwn(tools, toolCall.toolName) ? tools[toolCall.toolName] : undefined;
    const judged = tool?.execute === undefined ? undefined : judgedByExecute.get(tool.execute);
    if (judged === undefined) return await (options.otherwise ?? needsApproval)(request);
    if (judged.asksItself) return undefined;
    const { toolName, toolCallId, input } = toolCall;
    try {
      switch (await judged.toolkit.judge(toolName, input, { toolCallId })) {
        case 'allow':
          return undefined;
        case 'ask':
          return 'user-approval';
        case 'deny':
          return { type: 'denied', reason: `${toolName} was denied and did not run: it is not permitted here.` };
      }
    } catch {
      // The toolkit meets the same failure when it runs the call, and tells the model of it.
      return undefined;
    }
  };
}

/** What the SDK does where there is no `toolApproval`. */
async function needsApproval(request: ApprovalRequest): Promise<ToolApprovalStatus> {
  const { toolCall, tools, toolsContext, messages } = request;
  const { toolName, toolCallId, input } = toolCall;
  const needs = tools?.[toolName]?.needsApproval;
  if (typeof needs !== 'function') return needs === true ? 'user-approval' : undefined;
  const context = (toolsContext as Readonly<Record<string, unknown>> | undefined)?.[toolName];
  return (await needs(input, { toolCallId, messages, context })) ? 'user-approval' : undefined;
}

/**
 * Whether the SDK runs this call because its user has just approved it: the answer is in the last of
 * the messages that a tool gets then.
 */
export function isApprovedBySdk(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return false;
  const approved = new Set(
    last.content.flatMap((part) => (part.type === 'tool-approval-response' && part.approved ? [part.approvalId] : [])),
  );
  return messages.some(
    ({ role, content }) =>
      role === 'assistant' &&
      typeof content !== 'string' &&
      content.some(
        (part) =>
          part.type === 'tool-approval-request' && part.toolCallId === toolCallId && approved.has(part.approvalId),
      ),
  );
}

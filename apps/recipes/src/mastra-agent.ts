import type { ToolResult, WorkspaceSession } from '@agent-workspace/core';
import { Agent, type AgentConfig } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { runTool } from './run-tool.ts';
import { sessionToolkit } from './session-toolkit.ts';

export interface MastraAgentOptions {
  readonly session: WorkspaceSession;
  readonly model: AgentConfig['model'];
}

/** An agent of Mastra that works in a workspace. */
export async function mastraAgent({ session, model }: MastraAgentOptions): Promise<Agent> {
  const { toolkit, tools, instructions } = await sessionToolkit(session);
  const mastraTools = tools.map((tool) =>
    createTool({
      id: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      execute: async (input, { agent, abortSignal }) => {
        const toolCallId = agent?.toolCallId ?? crypto.randomUUID();
        return await runTool(input, { session, toolkit, tool, toolCallId, signal: abortSignal });
      },
      toModelOutput: (output) => toModelOutput(output as ToolResult),
    }),
  );
  return new Agent({
    id: 'coder',
    name: 'Coder',
    model,
    instructions,
    tools: Object.fromEntries(mastraTools.map((tool) => [tool.id, tool])),
  });
}

function toModelOutput({ content }: ToolResult) {
  const value = content.map((block) => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    const { source } = block;
    if (source.type === 'url') return { type: 'text', text: `(${source.media_type}: ${source.url})` };
    return { type: 'media', data: source.data, mediaType: source.media_type };
  });
  return { type: 'content', value };
}

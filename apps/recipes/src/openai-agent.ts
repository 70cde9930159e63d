import type { Tool, ToolResult, WorkspaceSession } from '@agent-workspace/core';
import {
  Agent,
  type AgentConfiguration,
  tool as functionTool,
  type ToolOutputImage,
  type ToolOutputText,
} from '@openai/agents';
import { runTool } from './run-tool.ts';
import { sessionToolkit } from './session-toolkit.ts';

export interface OpenAIAgentOptions {
  readonly session: WorkspaceSession;
  readonly model: NonNullable<AgentConfiguration['model']>;
}

/** An agent of the OpenAI Agents SDK that works in a workspace. */
export async function openAIAgent({ session, model }: OpenAIAgentOptions): Promise<Agent> {
  const { toolkit, tools, instructions } = await sessionToolkit(session);
  return new Agent({
    name: 'Coder',
    model,
    instructions,
    tools: tools.map((tool) =>
      functionTool({
        name: tool.name,
        description: tool.description,
        parameters: looseSchema(tool),
        // The toolkit checks the arguments, and tells the model what is wrong with them.
        strict: false,
        execute: async (input, _context, details) => {
          const toolCallId = details?.toolCall?.callId ?? crypto.randomUUID();
          return toOutput(await runTool(input, { session, toolkit, tool, toolCallId, signal: details?.signal }));
        },
      }),
    ),
  });
}

/** The SDK's type wants all of these to be said. */
function looseSchema({ inputSchema }: Tool) {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
  return {
    type: 'object' as const,
    properties: { ...properties },
    required: [...required],
    additionalProperties: true as const,
  };
}

function toOutput({ content }: ToolResult): (ToolOutputText | ToolOutputImage)[] {
  return content.map((block) => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    const { source } = block;
    if (!source.media_type.startsWith('image/')) return { type: 'text', text: `(${source.media_type}, not shown)` };
    if (source.type === 'url') return { type: 'image', image: { url: source.url } };
    return { type: 'image', image: { data: source.data, mediaType: source.media_type } };
  });
}
